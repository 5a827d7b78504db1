import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { get } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./testing/free-port.ts";
import { childrenOf, makeHome, makeMigratedHome, processesNaming } from "./testing/run-lodged.ts";
import { until } from "./testing/until.ts";

/** An even number. `TEST_DEATHS=100 npm test -- apps/server/src/cluster.test.ts` shows what takes too long for each run of the tests. */
const deaths = Number(process.env.TEST_DEATHS ?? 6);
const two = { LODGE_PROCESSES: "2" };
const serversOf = (pid: number) => childrenOf(pid).filter(({ command }) => /main\.\w+ serve$/.test(command));

test("several processes serve behind one port, tell their metrics together, and one that dies is replaced", async () => {
  await using home = await makeHome();
  const lodged = await home.serve(two);
  await until(() => countListening(lodged.stdout()) === 2);
  assert.match(lodged.stdout(), /This is shown once/);
  for (let sent = 0; sent < 20; sent++) assert.equal((await ask(`${lodged.url}/healthz`)).status, 200);
  for (let asked = 0; asked < 4; asked++) {
    const { text } = await ask(`${lodged.url}/metrics`);
    assert.match(text, /duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 20\n/);
  }

  const [victim, other] = serversOf(lodged.pid);
  process.kill(victim?.pid ?? 0, "SIGKILL");
  await lodged.said('"msg":"a process died"');
  await until(() => countListening(lodged.stdout()) === 3);
  const now = serversOf(lodged.pid).map(({ pid }) => pid);
  assert.equal(now.length, 2);
  assert.ok(other && now.includes(other.pid));
  for (let sent = 0; sent < 20; sent++) assert.equal((await ask(`${lodged.url}/readyz`)).status, 200);

  // As a terminal does it: Ctrl-C reaches all of them.
  for (const pid of now) process.kill(pid, "SIGINT");
  lodged.kill("SIGINT");
  const { code, stderr } = await lodged.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  for (const pid of now) assert.throws(() => process.kill(pid, 0), /ESRCH/);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

test("when the first process is killed the others end, and the next start takes over", async () => {
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

test("no client waits for ever because a process dies, and the deaths are counted", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve({ LODGE_PROCESSES: "4" });
  await until(() => countListening(lodged.stdout()) === 4);
  const descriptors = () => readdirSync(`/proc/${lodged.pid}/fd`).length;
  const before = descriptors();
  let over = false;
  // Others come in their place ever more slowly, seconds later, in which the clients need not keep the machine busy.
  let isCalm = false;
  const outcomes = { answered: 0, cut: 0, hung: 0 };
  const clients = Array.from({ length: 32 }, async (_, index) => {
    while (!over) {
      if (isCalm && index > 1) await sleep(100);
      outcomes[await outcomeOf(`${lodged.url}/healthz`)]++;
    }
  });
  const answerMore = async () => {
    const { answered } = outcomes;
    await until(() => outcomes.answered > answered + 200);
  };
  for (let died = 2; died <= deaths; died += 2) {
    isCalm = false;
    await answerMore();
    for (const victim of serversOf(lodged.pid).slice(0, 2)) process.kill(victim.pid, "SIGKILL");
    await answerMore();
    isCalm = true;
    await until(() => countListening(lodged.stdout()) === 4 + died);
  }
  over = true;
  await Promise.all(clients);
  assert.equal(outcomes.hung, 0, JSON.stringify(outcomes));
  assert.match((await ask(`${lodged.url}/metrics`)).text, new RegExp(`^lodged_process_deaths_total ${deaths}$`, "m"));
  await until(() => descriptors() <= before);
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 0);
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

/** What comes of a request on a connection of its own: an answer, a connection that is cut, or nothing for 20 s. */
function outcomeOf(url: string): Promise<"answered" | "cut" | "hung"> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 20_000 }, (response) => {
      response.resume().on("end", () => resolve("answered"));
    });
    request.on("timeout", () => {
      resolve("hung");
      request.destroy();
    });
    request.on("error", () => resolve("cut"));
  });
}

/** On a connection of its own, which another process may get than the one before. */
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
