import assert from "node:assert/strict";
import { test } from "node:test";
import { getEvent } from "@lodge/contract/calls.generated";
import { readConfig } from "../platform/config/config.ts";
import { createLog } from "../platform/observe/log.ts";
import { startEmbeddedPostgres } from "../platform/postgres/embedded-postgres.ts";
import { startServer } from "../serve.ts";
import { codeOf } from "./authenticator.ts";
import { hashAtFullCost } from "./cheap-hashes.ts";
import { visitor } from "./dashboard-client.ts";
import { loadDataDirectory } from "./load-data-directory.ts";
import { makeHome } from "./run-lodged.ts";
import { clientOf } from "./start-service.ts";
import { submitReport } from "./submit-report.ts";
import { until } from "./until.ts";

const kept = ["ARTIFACT", "EVENT", "LARGE_PROBLEM", "DELIVERY", "ACTIVITY", "SOURCE_MAP"].map(
  (what) => [`LODGE_${what}_RETENTION_DAYS`, "36500"] as const,
);

test("a data directory of 0.1.0 is upgraded: tickets, reports, files, jobs, passwords and second factors work", async () => {
  using _dear = hashAtFullCost();
  await using home = await makeHome();
  const known = await loadDataDirectory("0.1.0", home.dataDir);
  const { address } = await startEmbeddedPostgres(home.dataDir);
  const settings = { PORT: "0", LODGE_DATA_DIR: home.dataDir, LODGE_DISK_RESERVE: "0", ...Object.fromEntries(kept) };
  await using server = await startServer(readConfig(settings), address, createLog("silent"));
  const lodge = clientOf(server);

  const ticket = await lodge.request("POST", "/api/v1/tickets", {
    headers: { authorization: `Bearer ${known.token}`, "idempotency-key": "before the upgrade" },
    body: { title: "Filed before the upgrade" },
  });
  assert.deepEqual([ticket.status, ticket.text], [201, known.ticket], "a retry is answered as before");
  const report = { reportId: "before the upgrade", title: "Sent again" };
  const { eventId, idempotent } = await submitReport(lodge.url, known.key, report);
  assert.deepEqual({ eventId, idempotent }, { eventId: known.eventId, idempotent: true });

  const { email, password } = known;
  const signIn = async (code?: string) => {
    const client = visitor(lodge);
    const { status, body } = await client("POST", "/session", { email, password, ...(code && { code }) });
    return { client, said: status === 200 ? "in" : body.error };
  };
  assert.equal((await signIn()).said, "second_factor_required");
  assert.equal((await signIn(known.recoveryCodes[0])).said, "in");
  assert.equal((await signIn(known.recoveryCodes[0])).said, "wrong_code", "a recovery code works once");
  const { client, said } = await signIn(codeOf(known.totpKey, new Date()));
  assert.equal(said, "in");

  const { title, attachments } = await client.call(getEvent, { params: { eventId: known.eventId } });
  assert.equal(title, "Reported before the upgrade");
  const file = await fetch(new URL(attachments[0]?.url ?? "", lodge.url));
  assert.equal(await file.text(), "sent before the upgrade");
  await until(async () => (await lodge.deps.pool.query("select from unread_events")).rowCount === 0);
});
