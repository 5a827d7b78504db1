import { open } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { hashCheaply } from "../apps/server/src/testing/cheap-hashes.ts";
import { drawFor } from "../apps/server/src/testing/random.ts";
import { slowness } from "../apps/server/src/testing/slowness.ts";
import { measureTests } from "./test-times.ts";

// One of the processes in which `npm test` runs test files, one file after another: modules are loaded and compiled once
// for all of them. Hooks of a file stay with its tests, which are below a test with the file's name.
const { folder, root, files, times } = JSON.parse(process.env.TEST_LANES ?? "");
// A file is given up as hung when none of its tests has ended for this long on a quiet machine; on a busy one, later.
const hungAfterMs = 300_000;
const lookEveryMs = 1_000;
const ended = Promise.withResolvers<void>();
after(() => ended.promise); // with --test-force-exit the process would end where no test is known yet
hashCheaply();
let isIdle = true;
for (const [index, file] of (files as string[]).entries()) {
  if (await isTaken(index)) continue;
  isIdle = false;
  const hung = new AbortController();
  const watch = watchProgress(() => hung.abort(new Error(`No test of ${file} ends any more.`)));
  let writeDown: (() => void) | undefined;
  await test(file, { signal: hung.signal }, async (context) => {
    if (times) writeDown = measureTests(context, file, folder);
    context.afterEach(() => void watch.restart());
    drawFor(file);
    await import(pathToFileURL(join(root, file)).href);
  });
  watch.stop();
  writeDown?.();
}
if (isIdle) process.exit(); // the hook is never asked where there was no test, and would be waited for
ended.resolve();

/** Tells when nothing has restarted it for too long, by a clock that goes as slowly as the machine does. */
function watchProgress(onHung: () => void) {
  let leftMs = hungAfterMs;
  const clock = setInterval(() => {
    leftMs -= lookEveryMs / slowness();
    if (leftMs <= 0) onHung();
  }, lookEveryMs);
  return {
    restart: () => {
      leftMs = hungAfterMs;
    },
    stop: () => clearInterval(clock),
  };
}

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
