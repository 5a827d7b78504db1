import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Door, startDoor } from "../testing/start-door.ts";

// Clients of Sentry's as they are, with nothing but a DSN.

const here = fileURLToPath(new URL(".", import.meta.url));

/** Runs a program for Node with Sentry's client set up as `Sentry`. */
const runNode = (dsn: string, program: string, options = "") =>
  promisify(execFile)(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import * as Sentry from "@sentry/node";
      Sentry.init({ dsn: ${JSON.stringify(dsn)}, release: "shop@1.2.3+45", environment: "staging", ${options} });
      ${program}
      await Sentry.flush(10_000);`,
    ],
    { cwd: here, timeout: 60_000 },
  );

/** The envelopes that the app has received, the oldest first, and what they were translated from. */
async function received({ deps }: Door) {
  const rows = await deps.db.selectFrom("events").select(["report_id", "envelope", "original"]).orderBy("id").execute();
  return rows.map(({ report_id: reportId, envelope, original }) => ({
    reportId,
    envelope: JSON.parse(envelope.toString()),
    original: JSON.parse(original?.toString() ?? "null"),
  }));
}

test("an error that @sentry/node captures becomes a report with its causes, tags, user, breadcrumbs and attachment", async () => {
  await using door = await startDoor();
  await runNode(
    door.dsn,
    `Sentry.setTag("flow", "checkout");
    Sentry.setUser({ id: "u-1", email: "ada@example.test", username: "ada" });
    Sentry.addBreadcrumb({ category: "cart", message: "added", level: "info", data: { sku: 7 } });
    Sentry.getCurrentScope().addAttachment({ filename: "app.log", data: "a line", contentType: "text/plain" });
    function pay() { throw new Error("card declined", { cause: new TypeError("no amount") }); }
    try { pay(); } catch (error) { Sentry.captureException(error); }`,
  );
  const [report, ...others] = await received(door);
  assert.equal(others.length, 0);
  assert.ok(report);
  const { envelope, original } = report;
  assert.equal(report.reportId, original.event_id);
  assert.equal(envelope.reportId, original.event_id);
  assert.equal(envelope.kind, "bug");
  assert.equal(envelope.platform, "node");
  assert.equal(envelope.level, "error");
  assert.deepEqual([envelope.error.type, envelope.error.message], ["Error", "card declined"]);
  assert.equal(envelope.error.frames[0].function, "pay");
  assert.equal(envelope.error.frames[0].inApp, true);
  assert.deepEqual(
    envelope.error.causes.map((cause: { type: string; message: string }) => [cause.type, cause.message]),
    [["TypeError", "no amount"]],
  );
  assert.deepEqual(envelope.user, { id: "u-1", email: "ada@example.test", name: "ada" });
  assert.deepEqual(envelope.app, { version: "1.2.3", build: "45", environment: "staging", release: "shop@1.2.3+45" });
  assert.equal(envelope.tags.flow, "checkout");
  assert.deepEqual(
    envelope.breadcrumbs.map(({ at: _, ...crumb }: { at: string }) => crumb),
    [{ category: "cart", message: "added", level: "info", data: { sku: 7 } }],
  );
  assert.equal(envelope.attachments[0].filename, "app.log");
  assert.equal(envelope.sdk.name, "sentry.javascript.node");
});
