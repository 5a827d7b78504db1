import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../../../apps/dashboard/test/browser.ts";
import { type Door, startDoor } from "../../../apps/server/src/testing/start-door.ts";
import { until } from "../../../apps/server/src/testing/until.ts";
import { bundleSdk } from "../bundle.ts";
import type { Envelope } from "../src/types.ts";

const started = new AsyncDisposableStack();
let door: Door;
let folder: string;
/** Copies the examples next to the package, as npm would install it. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "lodge-examples-"));
  started.defer(() => rm(folder, { recursive: true }));
  const installed = join(folder, "node_modules/@lodge/sdk");
  await mkdir(installed, { recursive: true });
  await cp(fileURLToPath(new URL("../package.json", import.meta.url)), join(installed, "package.json"));
  await bundleSdk(join(installed, "dist"));
  const examples = fileURLToPath(new URL("../../../examples", import.meta.url));
  for (const name of ["node-service", "browser-app"])
    await cp(join(examples, name), join(folder, name), { recursive: true });
  door = started.use(await startDoor());
});
after(() => started.disposeAsync());

async function startExample(path: string) {
  const child = spawn(process.execPath, [join(folder, path)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, LODGE_URL: door.url, LODGE_KEY: door.key, LODGE_QUEUE: join(folder, "queue") },
  });
  const exited = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exited.then(() => assert.fail(`${path} ended`)),
  ])) as [string];
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function stored(message: string): Promise<Envelope | undefined> {
  const rows = await door.deps.db.selectFrom("events").select("envelope").execute();
  const envelopes = rows.map(({ envelope }) => JSON.parse(`${envelope}`) as Envelope);
  return envelopes.find((envelope) => envelope.message === message || envelope.tags?.path === message);
}

test("the service example has reported its errors when it ends", async () => {
  {
    await using service = await startExample("node-service/service.mjs");
    assert.equal((await fetch(`${service.url}/`)).status, 200);
    assert.equal((await fetch(`${service.url}/fail`)).status, 500);
  }
  assert.equal((await stored("/fail"))?.error?.message, "the basket is empty");
});

test("the browser example sends the widget's report through its own origin", async () => {
  await using app = await startExample("browser-app/serve.mjs");
  await using browser = await startBrowser();
  const { page } = await browser.open(app.url);
  await page.goto("/");
  await page.getByRole("button", { name: "Feedback" }).click();
  await page.getByLabel("What happened?").fill("I like it");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Sent. Thank you!").waitFor();
  const report = await stored("I like it");
  assert.deepEqual(report?.tags, { page: "/" });
  assert.ok(report?.breadcrumbs?.some(({ message }) => message === 'button#feedback "Feedback"'));
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Break" }).click();
  await until(async () => {
    const rows = await door.deps.db.selectFrom("events").select("envelope").execute();
    return rows.some(({ envelope }) => JSON.parse(`${envelope}`).tags?.unhandled === "error");
  });
});
