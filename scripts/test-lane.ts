import { open } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { hashCheaply } from "../apps/server/src/testing/cheap-hashes.ts";
import { drawFor } from "../apps/server/src/testing/random.ts";
import { measureTests } from "./test-times.ts";

// One of the processes in which `npm test` runs test files, one file after another: modules are loaded and compiled once
// for all of them. Hooks of a file stay with its tests, which are below a test with the file's name.
const { folder, root, files, hungAfterMs, times } = JSON.parse(process.env.TEST_LANES ?? "");
const ended = Promise.withResolvers<void>();
after(() => ended.promise); // with --test-force-exit the process would end where no test is known yet
hashCheaply();
let isIdle = true;
for (const [index, file] of (files as string[]).entries()) {
  if (await isTaken(index)) continue;
  isIdle = false;
  const hung = new AbortController();
  const watch = setTimeout(() => {
    hung.abort(new Error(`No test of ${file} has ended for ${Math.round(hungAfterMs / 1_000)} seconds.`));
  }, hungAfterMs);
  let writeDown: (() => void) | undefined;
  await test(file, { signal: hung.signal }, async (context) => {
    if (times) writeDown = measureTests(context, file, folder);
    context.afterEach(() => void watch.refresh());
    drawFor(file);
    await import(pathToFileURL(join(root, file)).href);
  });
  clearTimeout(watch);
  writeDown?.();
}
if (isIdle) process.exit(); // the hook is never asked where there was no test, and would be waited for
ended.resolve();

/** Whether another lane has taken a file; else it is this one's. */
async function isTaken(index: number): Promise<boolean> {
  try {
    await (await open(join(folder, `lane-${index}`), "wx")).close();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return true;
    throw error;
  }
}
