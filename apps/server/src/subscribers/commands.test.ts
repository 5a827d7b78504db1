import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { runCommand } from "../testing/start-process.ts";
import { startReceiver } from "../testing/start-receiver.ts";
import { type Service, startService } from "../testing/start-service.ts";
import { submitReport } from "../testing/submit-report.ts";
import { deliveriesIn, subscribe, webhook } from "../testing/subscribe.ts";

const local = { LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1", LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms" };

test("lodged deliveries and lodged subscribers: see what is dead, mend it, send it again", async () => {
  let status = 410;
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end());
  await using lodge = await startService(local);
  const { key, appId, subscribers } = await subscribe(lodge, [webhook(receiver)]);
  const id = subscribers[0]?.id ?? "";
  await submitReport(lodge.url, key, { reportId: "r" });
  await deliveriesIn(lodge, "dead");
  const run = (...args: string[]) => runBeside(lodge, args);

  const { failingSubscribers, ...counts } = await run("deliveries", "status");
  assert.deepEqual(counts, { delivered: 0, waiting: 0, failed: 0, dead: 1, oldestWaitingAgeSeconds: 0 });
  assert.deepEqual(failingSubscribers, [
    {
      id,
      kind: "webhook",
      url: `${receiver.url}/hook`,
      boardId: null,
      appId,
      appSlug: "ios",
      organisationSlug: "acme",
      enabled: false,
      failingSince: failingSubscribers[0].failingSince,
      lastReason: "It answered 410.",
      disabledReason: "It answered 410 Gone.",
    },
  ]);

  status = 204;
  assert.deepEqual(await run("deliveries", "resend", "--subscriber", id), { resent: 0 });
  assert.deepEqual(await run("subscribers", "enable", id), { id, enabled: true });
  assert.deepEqual(await run("deliveries", "resend", "--subscriber", id, "--to", "2020-01-01T00:00:00Z"), {
    resent: 0,
  });
  assert.deepEqual(await run("deliveries", "resend", "--subscriber", id, "--from", "2020-01-01T00:00:00Z"), {
    resent: 1,
  });
  const [delivered] = await deliveriesIn(lodge, "delivered");
  assert.deepEqual(await run("deliveries", "resend", "--delivery", delivered?.id ?? ""), { resent: 1 });
  await receiver.until(3);

  const rotated = await run("subscribers", "rotate-secret", id);
  assert.match(rotated.secret, /^whsec_/);
  assert.notEqual(rotated.secret, subscribers[0]?.secret);

  assert.match(await run("deliveries", "resend"), /^Say which: --delivery, --subscriber, --from or --to\.$/m);
  assert.match(await run("deliveries", "resend", "--subscriber", "x"), /It must be a UUID/);
  assert.match(await run("deliveries", "resend", "--from", "noon"), /It must be a time/);
  assert.equal(await run("deliveries", "resend", "--subscriber", appId), `There is no subscriber ${appId}.\n`);
  assert.equal(await run("deliveries", "resend", "--delivery", appId), `There is no delivery ${appId}.\n`);
  assert.match(await run("subscribers", "enable", appId), /There is no subscriber/);
  assert.match(await run("subscribers", "rotate-secret", appId), /There is no webhook/);
});

test("lodged worker says that it needs a database of its own", async () => {
  const { code, stderr } = await runCommand(["worker"], {});
  assert.equal(code, 1);
  assert.match(stderr, /^With the embedded database the server is its own worker; set DATABASE_URL\.$/m);
});

/** Runs a command on the database of a service. What it printed, or its one message where it failed. */
async function runBeside(lodge: Service, args: string[]) {
  const { code, stdout, stderr } = await runCommand(args, { ...lodge.env, LODGE_SECRET: randomUUID() });
  if (code === 0) return JSON.parse(stdout);
  assert.deepEqual([code, stdout], [1, ""]);
  return stderr;
}
