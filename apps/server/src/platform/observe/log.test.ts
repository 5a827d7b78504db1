import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const log = JSON.stringify(new URL("./log.ts", import.meta.url).href);
const lines = (program: string) => `import { createLog } from ${log}; const log = createLog("info"); ${program}`;

function run(program: string) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", lines(program)], {
    stdio: ["ignore", "pipe", "ignore"],
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  return { child, ended: once(child, "exit") as Promise<[number | null]> };
}

test("buffered lines are written in order when the process ends, even by an uncaught error", async () => {
  const { child, ended } = run(`log.info("one"); log.warn("two"); log.info("three"); throw new Error("a bug");`);
  const said = (await child.stdout.toArray()).join("");
  assert.deepEqual(
    said
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { msg: string }).msg),
    ["one", "two", "three"],
  );
  assert.equal((await ended)[0], 1);
});

test("a log without a reader blocks neither the process nor its exit", async () => {
  const { child, ended } = run(`
    setTimeout(() => { for (let n = 0; n < 100; n++) log.warn("w"); }, 200);
    setTimeout(() => process.exit(7), 400);`);
  child.stdout.destroy();
  assert.equal((await ended)[0], 7);
});
