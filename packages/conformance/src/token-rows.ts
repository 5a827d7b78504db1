import { randomUUID } from "node:crypto";
import { expectFiled, ticketFiler, title } from "./file-ticket.ts";
import { type Check, expect, expectRefusal, rowsWith } from "./row.ts";
import type { Subject } from "./subject.ts";

/** The rows on API tokens and their access to projects (sections 5 and 7.1). */
export function tokenRows(subject: Subject): Check[] {
  const { otherToken, wideToken, unreachingToken, powerlessToken, revokedToken } = subject;
  return [
    invalidTokenRow(subject),
    ...rowsWith(otherToken, (other) => [hiddenProjectRow(subject, other)]),
    ...rowsWith(wideToken, (wide) => [
      {
        section: "7.1",
        row: "no projectId, with a token with access to several projects",
        run: async () => expectRefusal(await ticketFiler(subject, wide)({ title }), 400, "project_required"),
      },
    ]),
    ...rowsWith(unreachingToken, (unreaching) => [
      {
        section: "7.1",
        row: "no projectId, with a token without access to any project",
        run: async () => expectRefusal(await ticketFiler(subject, unreaching)({ title }), 404, "project_not_found"),
      },
    ]),
    ...rowsWith(powerlessToken, (powerless) => [missingPermissionRow(subject, powerless)]),
    ...rowsWith(revokedToken, (revoked) => [revokedTokenRow(subject, revoked)]),
  ];
}

const invalidTokenRow = (subject: Subject): Check => ({
  section: "5",
  row: "a missing, a malformed and an unknown token get the same 401",
  run: async () => {
    const { token } = subject;
    const seen = [];
    for (const authorization of ["", "Bearer", `Basic ${token}`, "Bearer nonsense", `Bearer ${token.slice(0, -1)}`]) {
      seen.push(await ticketFiler(subject, token)({ title }, {}, authorization));
    }
    for (const each of seen) expectRefusal(each, 401, "invalid_api_token");
    expect(new Set(seen.map(({ text }) => text)).size === 1, "the bodies differ");
  },
});

const hiddenProjectRow = (subject: Subject, other: string): Check => ({
  section: "5",
  row: "a project that the token has no access to is answered like a missing one, as are its board and column",
  run: async () => {
    const file = ticketFiler(subject, subject.token);
    const theirs = await ticketFiler(subject, other)({ title });
    expectFiled(theirs);
    const { projectId, boardId, columnId } = theirs.body;
    const hidden = await file({ title, projectId });
    expectRefusal(hidden, 404, "project_not_found");
    const missing = await file({ title, projectId: randomUUID() });
    expect(hidden.text === missing.text, "the bodies differ");
    expectRefusal(await file({ title, boardId }), 404, "board_not_found");
    expectRefusal(await file({ title, columnId }), 404, "column_not_found");
  },
});

const missingPermissionRow = (subject: Subject, powerless: string): Check => ({
  section: "5",
  row: "a token without tickets:write gets 403 with the missing permission in required",
  run: async () => {
    const refused = await ticketFiler(subject, powerless)({ title });
    expectRefusal(refused, 403, "insufficient_scope");
    expect(refused.body.required === "tickets:write", `required is ${JSON.stringify(refused.body.required)}`);
  },
});

const revokedTokenRow = (subject: Subject, revoked: string): Check => ({
  section: "5",
  row: "a revoked token is answered like an unknown one",
  run: async () => {
    const refused = await ticketFiler(subject, revoked)({ title });
    expectRefusal(refused, 401, "invalid_api_token");
    const unknown = await ticketFiler(subject, subject.token)({ title }, {}, "Bearer nonsense");
    expect(refused.text === unknown.text, "the bodies differ");
  },
});
