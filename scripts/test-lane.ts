import { open } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { hashCheaply } from "../apps/server/src/testing/cheap-hashes.ts";
import { drawFor } from "../apps/server/src/testing/random.ts";
import { slowness } from "../apps/server/src/testing/slowness.ts";
import { measureTests } from "./test-times.ts";

// A process in which `npm test` runs test files one after the other, so that modules are only loaded and compiled once.
// A file's hooks only apply to its own tests, which are nested in a test with the file's name.
const { folder, root, files, times } = JSON.parse(process.env.TEST_LANES ?? "");
// A file counts as hung if none of its tests has ended for this long on an idle machine; on a busy one, for longer.
const hungAfterMs = 300_000;
const lookEveryMs = 1_000;
const ended = Promise.withResolvers<void>();
after(() => ended.promise); // with --test-force-exit the process would exit while it has no test yet
hashCheaply();
let isIdle = true;
for (const [index, file] of (files as string[]).entries()) {
  if (await isTaken(index)) continue;
  isIdle = false;
  const hung = new AbortController();
  const watch = watchProgress(() => hung.abort(new Error(`${file} hangs: no test has ended for too long.`)));
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
if (isIdle) process.exit(); // without tests the hook never runs, but would be awaited
ended.resolve();

/** Calls `onHung` if it is not restarted for too long, with a clock that slows down on a busy machine. */
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

/** Whether another lane has taken a file. If not, this lane takes it. */
async function isTaken(index: number): Promise<boolean> {
  try {
    await (await open(join(folder, `lane-${index}`), "wx")).close();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return true;
    throw error;
  }
}
