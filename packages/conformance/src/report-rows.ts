import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { request } from "./request.ts";
import { type Check, expect, expectRefusal, rowsWith } from "./row.ts";
import { declaredLog, expectReceived, log, makeEnvelope, reportSender } from "./send-report.ts";
import type { Subject } from "./subject.ts";

/** The rows on received reports and on the configuration of clients (sections 2.4, 2.5, 4.2 and 4.3). */
export function reportRows(subject: Subject): Check[] {
  const send = reportSender(subject, subject.key);
  return [
    {
      section: "2.5",
      row: "a report with an attachment is received, and a repeat gets the same event",
      run: async () => {
        const parts = [makeEnvelope({ attachments: [declaredLog] }), log];
        const first = await send(parts);
        expectReceived(first, false);
        const second = await send(parts);
        expectReceived(second, true);
        expect(second.body.eventId === first.body.eventId, "another eventId");
      },
    },
    {
      section: "4.2",
      row: "a gzipped envelope is recognised by its content type or its first bytes",
      run: async () => {
        for (const type of ["application/gzip", "application/json+gzip", "application/json"]) {
          const { name, bytes } = makeEnvelope();
          expectReceived(await send([{ name, bytes: new Uint8Array(gzipSync(bytes)), type }]), false);
        }
      },
    },
    {
      section: "2.4",
      row: "a refused report is not stored: its reportId can still be received",
      run: async () => {
        const reportId = randomUUID();
        const envelope = () => makeEnvelope({ reportId, attachments: [declaredLog] });
        expectRefusal(await send([envelope()]), 400, "attachment_missing");
        expectReceived(await send([envelope(), log]), false);
      },
    },
    {
      section: "4.3",
      row: "GET /api/config answers the key",
      run: async () => {
        const { status, body } = await readConfiguration(subject, subject.key);
        expect(status === 200 && Object.keys(body).length > 0, `got ${status}`);
      },
    },
    ...rowsWith(subject.suspendedKey, (key) => [suspendedRow(subject, key)]),
  ];
}

const suspendedRow = (subject: Subject, key: string): Check => ({
  section: "7.2",
  row: "a suspended organisation gets 403 with reason and since, and can still read its configuration",
  run: async () => {
    const refused = await reportSender(subject, key)([makeEnvelope()]);
    expectRefusal(refused, 403, "org_suspended");
    const { reason, since } = refused.body;
    expect(reason === "over_allowance", `reason is ${JSON.stringify(reason)}`);
    expect(typeof since === "string" && !Number.isNaN(Date.parse(since)), `since is ${JSON.stringify(since)}`);
    const { status } = await readConfiguration(subject, key);
    expect(status === 200, `the configuration is answered with ${status}`);
  },
});

const readConfiguration = ({ ingest }: Subject, key: string) =>
  request(`${ingest}/api/config`, { headers: { authorization: `Bearer ${key}` } });
