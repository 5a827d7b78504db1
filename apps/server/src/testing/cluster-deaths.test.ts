import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { get } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf, makeMigratedHome } from "./run-lodged.ts";
import { slowness } from "./slowness.ts";
import { until } from "./until.ts";

/**
 * The number of processes to kill: an even number. `TEST_DEATHS=100 npm test --
 * apps/server/src/testing/cluster-deaths.test.ts` finds failures that are too slow to look for in every test run.
 */
const deaths = Number(process.env.TEST_DEATHS ?? 6);
const serversOf = (pid: number) => childrenOf(pid).filter(({ command }) => /main\.\w+ serve$/.test(command));
const countListening = (log: string) => log.split("Server listening at").length - 1;

test("no client waits forever when a process dies, and the deaths are counted", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve({ LODGE_PROCESSES: "4" });
  await until(() => countListening(lodged.stdout()) === 4);
  const descriptors = () => readdirSync(`/proc/${lodged.pid}/fd`).length;
  const before = descriptors();
  let over = false;
  // Replacements start after growing delays of seconds. Meanwhile, the clients need not keep the machine busy.
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
  assert.match(
    await (await fetch(`${lodged.url}/metrics`)).text(),
    new RegExp(`^lodged_process_deaths_total ${deaths}$`, "m"),
  );
  await until(() => descriptors() <= before);
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 0);
});

/** The outcome of a request on a new connection: a response, a cut connection, or nothing for 20 s. */
function outcomeOf(url: string): Promise<"answered" | "cut" | "hung"> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 20_000 * slowness() }, (response) => {
      response.resume().on("end", () => resolve("answered"));
    });
    request.on("timeout", () => {
      resolve("hung");
      request.destroy();
    });
    request.on("error", () => resolve("cut"));
  });
}
