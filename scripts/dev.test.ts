import assert from "node:assert/strict";
import { utimes } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { childrenOf, makeHome, processesNaming } from "../apps/server/src/testing/run-lodged.ts";
import { until } from "../apps/server/src/testing/until.ts";

const main = fileURLToPath(new URL("dev.ts", import.meta.url));
const edited = fileURLToPath(new URL("../apps/server/src/platform/slug.ts", import.meta.url));

test("npm run dev serves the dashboard's sources and the server at one address, and restarts the server", async () => {
  await using home = await makeHome();
  const dev = await home.serve({}, { main });
  const page = await fetch(dev.url);
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'self'/);
  assert.match(await page.text(), /src="\/@vite\/client"/);
  const [, email, password] = /Sign in\s+(\S+)\s+(\S+)/.exec(dev.stdout()) ?? [];
  const signIn = (origin: string) =>
    fetch(`${dev.url}/api/dashboard/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ email, password }),
    });
  assert.equal((await signIn(dev.url)).status, 200);
  assert.equal((await signIn("http://elsewhere.test")).status, 403);

  const before = servers(dev.pid);
  assert.equal(before.length, 1);
  await utimes(edited, new Date(), new Date());
  await dev.said("slug.ts has changed");
  assert.equal((await fetch(`${dev.url}/readyz`)).status, 200, "the request waits for the new server");
  const after = servers(dev.pid);
  assert.equal(after.length, 1);
  assert.notDeepEqual(after, before);

  dev.kill("SIGINT");
  assert.equal((await dev.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
  assert.deepEqual([...before, ...after].filter(isRunning), []);
});

test("killing npm run dev leaves no server behind", async () => {
  await using home = await makeHome();
  const dev = await home.serve({}, { main });
  const [server = 0] = servers(dev.pid);
  assert.ok(isRunning(server));
  dev.kill("SIGKILL");
  await until(() => !isRunning(server));
});

const servers = (pid: number) =>
  childrenOf(pid)
    .filter(({ command }) => command.endsWith("src/main.ts serve"))
    .map((child) => child.pid);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
