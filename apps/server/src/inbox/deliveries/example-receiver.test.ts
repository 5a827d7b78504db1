import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../../testing/free-port.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { deliveriesIn, subscribe } from "../../testing/subscribe.ts";

const example = (file: string) =>
  fileURLToPath(new URL(`../../../../../examples/webhook-receiver/${file}`, import.meta.url));

test("the example receiver in Node prints a verified report and refuses a forged one", () =>
  tryReceiver(process.execPath, example("receiver.mjs")));

test("the example receiver in Python prints a verified report and refuses a forged one", () =>
  tryReceiver("python3", example("receiver.py")));

test("the example receiver in Ruby prints a verified report and refuses a forged one", () =>
  tryReceiver("ruby", example("receiver.rb")));

test("the example receiver in Go prints a verified report and refuses a forged one", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-go-"));
  const program = join(folder.path, "receiver");
  const env = { PATH: process.env.PATH, GOCACHE: join(folder.path, "cache"), GOFLAGS: "-p=1" };
  execFileSync("go", ["build", "-o", program, example("receiver.go")], { env });
  await tryReceiver(program);
});

async function tryReceiver(program: string, ...args: string[]) {
  const port = await freePort();
  await using lodge = await startService({ ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" });
  const { key, subscribers } = await subscribe(lodge, [{ kind: "webhook", url: `http://127.0.0.1:${port}/` }]);
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, PORT: `${port}`, WEBHOOK_SECRET: subscribers[0]?.secret ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, `Waiting for reports at http://127.0.0.1:${port}/`);
    const headers = { "webhook-id": "x", "webhook-timestamp": `${Date.now() / 1000}`, "webhook-signature": "v1,AAAA" };
    const forged = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}", headers });
    assert.equal(forged.status, 401);

    const log = { partName: "log", bytes: Buffer.from("log"), filename: "app.log" };
    await submitReport(lodge.url, key, { reportId: "r", title: "Cart is empty", message: "Since noon" }, [log]);
    assert.equal((await lines.next()).value, "");
    assert.match((await lines.next()).value ?? "", /verified {2}bug: Cart is empty$/);
    assert.equal((await lines.next()).value, "Since noon");
    assert.match((await lines.next()).value ?? "", /^attachment {3}app\.log \(3 bytes\) http/);
    await deliveriesIn(lodge, "delivered");
  } finally {
    child.kill();
    await exited;
  }
}
