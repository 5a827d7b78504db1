import { appendFileSync, readFileSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SuiteContext, TestContext } from "node:test";

const ticksPerSecond = 100;
const testsShown = 60;

/**
 * The time of a test, or of a whole file without `test`: the wall time, and the CPU of the process and its children.
 */
export type Time = { file: string; test?: string; wallSeconds: number; cpuSeconds: number };

/** The CPU seconds of a process and its ended children; outside Linux, only of this process. */
function usedSeconds(pid: number | "self"): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / ticksPerSecond;
}

/** Records the time of each test of a file for `readTimes`. */
export function measureTests(context: TestContext, file: string, folder: string): () => void {
  const write = (time: Time) => appendFileSync(join(folder, `times-${process.pid}`), `${JSON.stringify(time)}\n`);
  const clock = () => ({ wall: performance.now() / 1_000, cpu: usedSeconds("self") });
  const since = ({ wall, cpu }: ReturnType<typeof clock>) => {
    const now = clock();
    return { wallSeconds: now.wall - wall, cpuSeconds: now.cpu - cpu };
  };
  const began = new WeakMap<object, ReturnType<typeof clock>>();
  context.beforeEach((test: TestContext | SuiteContext) => void began.set(test, clock()));
  context.afterEach((test: TestContext | SuiteContext) => {
    const start = began.get(test);
    if (start) write({ file, test: test.name, ...since(start) });
  });
  const start = clock();
  return () => write({ file, ...since(start) });
}

/** The times that the lanes recorded. */
export async function readTimes(folder: string): Promise<Time[]> {
  const times: Time[] = [];
  for await (const name of glob("times-*", { cwd: folder })) {
    const lines = (await readFile(join(folder, name), "utf8")).trim().split("\n");
    times.push(...lines.map((line) => JSON.parse(line) as Time));
  }
  return times;
}

/** Tables of the files and of the most expensive tests. Call it when all child processes have ended. */
export function describeTimes(times: readonly Time[]): string {
  const files = times.filter(({ test }) => test === undefined);
  const tests = times.filter(({ test }) => test !== undefined);
  const byCost = (a: Time, b: Time) => b.cpuSeconds - a.cpuSeconds;
  const cpuSeconds = files.reduce((sum, time) => sum + time.cpuSeconds, 0);
  const row = ({ wallSeconds, cpuSeconds, file, test }: Time) =>
    `${cpuSeconds.toFixed(1).padStart(8)} ${wallSeconds.toFixed(1).padStart(8)}  ${file}${test ? ` › ${test}` : ""}`;
  return [
    "\nSeconds of CPU and of the clock by file, without the PostgreSQL and the browser that all share:",
    ...files.toSorted(byCost).map(row),
    `\nThe ${testsShown} most expensive tests:`,
    ...tests.toSorted(byCost).slice(0, testsShown).map(row),
    `\nSeconds of CPU: ${cpuSeconds.toFixed(0)} in the files, ${usedSeconds("self").toFixed(0)} with all that they share, ` +
      `in ${(performance.now() / 1_000) | 0} s of the clock.`,
  ].join("\n");
}
