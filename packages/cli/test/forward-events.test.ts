import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { freePort } from "../../../apps/server/src/testing/free-port.ts";
import { startReceiver } from "../../../apps/server/src/testing/start-receiver.ts";
import { startService } from "../../../apps/server/src/testing/start-service.ts";
import { submitReport } from "../../../apps/server/src/testing/submit-report.ts";
import { until } from "../../../apps/server/src/testing/until.ts";
import { sliceEvents } from "../src/slice-events.ts";
import { runLodge, startLodge } from "./run-lodge.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());
const home = await mkdtemp(join(tmpdir(), "lodge-home-"));
after(() => rm(home, { recursive: true, force: true }));
const { apps, tokens } = await lodge.apply({
  organisation: { name: "Acme", slug: "acme" },
  apps: ["ios", "web"].map((slug) => ({ name: slug, slug, keys: ["default"] })),
  tokens: [
    { name: "Laptop", scope: "all", permissions: ["events:read"] },
    { name: "CI", scope: "all", permissions: ["tickets:write"] },
  ],
});
const [ios = "", web = ""] = apps.map(({ keys: [key] }) => key?.key ?? "");
const [env = {}, powerless = {}] = tokens.map(({ secret }) => ({
  ...{ HOME: home, LODGE_URL: lodge.url, LODGE_TOKEN: secret ?? "" },
}));
/** The saved state of the first command that was started. */
async function keptState(): Promise<string> {
  const names = await readdir(join(home, ".lodge")).catch(() => []);
  const [file] = names.filter((name) => name.endsWith(".json"));
  return file === undefined ? "" : readFile(join(home, ".lodge", file), "utf8");
}
const begun = (stderr: string[]) => until(() => stderr.some((line) => line.startsWith("Signing secret: ")));

test("events are forwarded byte for byte and signed, and a restart continues after the last one", async () => {
  await using receiver = await startReceiver();
  const forward = ["events", "forward", "--to", `${receiver.url}/hook`, "--app", "ios"];
  await submitReport(lodge.url, ios, { reportId: "before" });
  const envelope = '{"reportId":"1", "title":"Crash \\u0000 ] }", "context":{"big":12345678901234567890,"a":[[{}]]}}';
  let secret: string | undefined;
  {
    await using running = startLodge([...forward, "--from", "now"], env);
    await begun(running.stderr);
    // Once the cursor is saved, the command receives all new events.
    await until(async () => (await keptState()).includes('"next"'));
    await submitReport(lodge.url, web, { reportId: "of another app" });
    await submitReport(lodge.url, ios, envelope);
    const [message] = await receiver.until(1);
    secret = running.stderr.join("\n").match(/whsec_\S+/)?.[0];
    assert.ok(message && secret);
    const body = message.body.toString("utf8");
    assert.ok(body.includes(`"envelope":${envelope},"attachments":[]}}`));
    const { type, data } = new Webhook(secret).verify(body, message.headers as Record<string, string>) as {
      type: string;
      data: { eventId: string; reportId: string };
    };
    assert.deepEqual([type, data.reportId, message.headers["webhook-id"]], ["report.received", "1", data.eventId]);
    await until(() => running.stdout.length === 1);
    assert.match(running.stdout[0] ?? "", new RegExp(`^\\S+ ${data.eventId} 204 \\d+ ms$`));
  }
  await submitReport(lodge.url, ios, { reportId: "2" });
  await using running = startLodge(forward, env);
  await until(() => receiver.received.some(({ body }) => body.includes('"reportId":"2"')));
  assert.ok(running.stderr.join().includes(secret), "a restart keeps the signing secret");
  assert.ok(!receiver.received.some(({ body }) => /before|of another/.test(`${body}`)));
  const [file = ""] = await readdir(join(home, ".lodge"));
  assert.equal((await stat(join(home, ".lodge", file))).mode & 0o777, 0o600);
});

test("a target gets its events once it is up, and a target that refuses an event gets the next one", async () => {
  const port = await freePort();
  await submitReport(lodge.url, web, { reportId: "early" });
  await using running = startLodge(
    ["events", "forward", "--to", `http://127.0.0.1:${port}/`, "--app", "web", "--from", "oldest"],
    env,
  );
  await until(() => running.stderr.some((line) => line.includes("trying until it answers")));
  await using receiver = await startReceiver((_, response) => response.writeHead(500).end(), "127.0.0.1", port);
  await receiver.until(1);
  await submitReport(lodge.url, web, { reportId: "later" });
  await until(() => receiver.received.some(({ body }) => body.includes('"reportId":"later"')));
  await until(() => running.stdout.length >= 2);
  assert.ok(running.stdout.every((line) => / 500 /.test(line)));
});

test("the command ends with a reason without the permission or with an invalid target", async () => {
  const refused = await runLodge(["events", "forward", "--to", "http://127.0.0.1:1/"], powerless);
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /insufficient_scope/);
  const again = await runLodge(["events", "forward", "--to", "http://127.0.0.1:1/"], powerless);
  assert.equal(again.stderr, refused.stderr, "the printed secret stays the same, even if nothing was sent");
  const wrong = await runLodge(["events", "forward", "--to", "localhost"], env);
  assert.deepEqual([wrong.exitCode, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /--to must be an http or https address/);
});

test("events are sliced out of a page unchanged, whatever else the page contains", () => {
  const events = ['{"a":"]}\\"","b":[[{"c":1}]]}', "{}", `{"deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}`];
  const page = `{"other":[{"x":{"events":[{}]}}],"events": [${events.join(", ")}],"next":"[{","more":{"events":{}}}`;
  assert.deepEqual(sliceEvents(page), events);
});
