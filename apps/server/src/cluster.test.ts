import assert from "node:assert/strict";
import { get } from "node:http";
import { test } from "node:test";
import { freePort } from "./testing/free-port.ts";
import { childrenOf, makeHome, makeMigratedHome, processesNaming } from "./testing/run-lodged.ts";
import { slowTest } from "./testing/slow-test.ts";
import { until } from "./testing/until.ts";

const two = { LODGE_PROCESSES: "2" };
const serversOf = (pid: number) => childrenOf(pid).filter(({ command }) => /main\.\w+ serve$/.test(command));

test("several processes serve one port and report joint metrics, and one that dies is replaced", async () => {
  await using home = await makeHome();
  const lodged = await home.serve(two);
  await until(() => countListening(lodged.stdout()) === 2);
  assert.match(lodged.stdout(), /This is shown once/);
  for (let sent = 0; sent < 20; sent++) assert.equal((await ask(`${lodged.url}/healthz`)).status, 200);
  const countsAll = async () => {
    const { text } = await ask(`${lodged.url}/metrics`);
    return /duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 20\n/.test(text);
  };
  // A process that is too busy to report its metrics in time counts with its last report.
  await until(countsAll);
  for (let asked = 0; asked < 4; asked++) assert.ok(await countsAll(), "every process reports the joint metrics");

  const [victim, other] = serversOf(lodged.pid);
  process.kill(victim?.pid ?? 0, "SIGKILL");
  await lodged.said('"msg":"a process died"');
  await until(() => countListening(lodged.stdout()) === 3);
  const now = serversOf(lodged.pid).map(({ pid }) => pid);
  assert.equal(now.length, 2);
  assert.ok(other && now.includes(other.pid));
  // The server answers 503 if the database is slow, as it may be on a busy machine.
  for (let sent = 0; sent < 20; sent++) await until(async () => (await ask(`${lodged.url}/readyz`)).status === 200);

  // Like a terminal: Ctrl-C reaches all of them.
  for (const pid of now) process.kill(pid, "SIGINT");
  lodged.kill("SIGINT");
  const { code, stderr } = await lodged.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  for (const pid of now) assert.throws(() => process.kill(pid, 0), /ESRCH/);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

slowTest("if the first process is killed the others end, and the next start takes over", async () => {
  await using home = await makeMigratedHome();
  const settings = { ...two, PORT: `${await freePort()}` };
  const lodged = await home.serve(settings);
  await until(() => countListening(lodged.stdout()) === 2);
  const others = serversOf(lodged.pid).map(({ pid }) => pid);
  lodged.kill("SIGKILL");
  await until(() => others.every((pid) => !isAlive(pid)));
  const next = await home.serve(settings);
  assert.equal((await ask(`${next.url}/readyz`)).status, 200);
  next.kill("SIGTERM");
  assert.equal((await next.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

const countListening = (log: string) => log.split("Server listening at").length - 1;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** On a new connection, which another process than before may accept. */
function ask(url: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    }).on("error", reject);
  });
}
