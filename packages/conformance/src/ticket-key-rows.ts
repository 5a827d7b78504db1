import { randomUUID } from "node:crypto";
import { expectFiled, ticketFiler, title } from "./file-ticket.ts";
import { type Check, expect, expectRefusal, rowsWith } from "./row.ts";
import type { Subject } from "./subject.ts";

/** The rows on the `Idempotency-Key` header (sections 4.1 and 7.1). */
export function ticketKeyRows(subject: Subject): Check[] {
  const file = ticketFiler(subject, subject.token);
  return [
    {
      section: "4.1",
      row: "reusing an Idempotency-Key replays the same 201 and body, whatever the new body",
      run: async () => {
        const key = { "idempotency-key": randomUUID() };
        const first = await file({ title }, key);
        for (const body of [{ title }, { title: "" }, "{", ""]) {
          const again = await file(body, key);
          expect(again.status === 201 && again.text === first.text, `another answer to ${JSON.stringify(body)}`);
        }
      },
    },
    {
      section: "7.1",
      row: "an Idempotency-Key that is empty or has 256 characters",
      run: async () => {
        for (const key of ["", "x".repeat(256)]) {
          expectRefusal(await file({ title }, { "idempotency-key": key }), 400, "invalid_idempotency_key");
        }
      },
    },
    {
      section: "4.1",
      row: "an Idempotency-Key of 255 characters",
      run: async () => expectFiled(await file({ title }, { "idempotency-key": randomUUID().padEnd(255, "x") })),
    },
    ...rowsWith(subject.otherToken, (other) => [
      {
        section: "4.1",
        row: "an Idempotency-Key belongs to its token: another token files another ticket with it",
        run: async () => {
          const key = { "idempotency-key": randomUUID() };
          const [own, theirs] = [await file({ title }, key), await ticketFiler(subject, other)({ title }, key)];
          expectFiled(own);
          expectFiled(theirs);
          expect(own.body.id !== theirs.body.id, "the same ticket");
        },
      },
    ]),
  ];
}
