import { Worker } from "node:worker_threads";
import { Gate } from "../platform/limits/gate.ts";
import type { CheckedMap, Original, Place, ThreadAnswer, ThreadRequest, Traced } from "./map-thread.ts";

/** What a map may cost beyond this, it does not get: its thread is ended, and others go on in a new one. */
const heapMegabytesMax = 512;
const timeoutMs = 10_000;
/** Decoded maps stay at hand for as long as some are asked for, up to so many mappings. */
const heldMappingsMax = 2_500_000;
const idleMs = 30_000;

/** A source map that cannot be read; its message says why. */
export class UnreadableMap extends Error {
  override name = "UnreadableMap";
}

// One for the process, ended when it is not needed: nothing of it has to be known to another.
const turns = new Gate({ runningMax: 1, waitingMax: 1_000 });
const held = new Map<string, number>();
let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Checks that bytes are a source map that can be decoded, in a thread of its own, with bounded time and memory; returns
 * what to keep of it. The bytes are handed over. Throws `UnreadableMap`.
 */
export const checkMap = (bytes: Uint8Array<ArrayBuffer>): Promise<CheckedMap> =>
  turns.run(async () => (await ask({ kind: "check", bytes }, [bytes.buffer])) as CheckedMap);

/**
 * Finds where places in a bundled file come from: for each of them the original, or null. `load` returns the map that was
 * kept under the key, where it has to be decoded. Throws `UnreadableMap`.
 */
export const traceMap = (
  key: string,
  load: () => Promise<Uint8Array<ArrayBuffer>>,
  places: readonly Place[],
): Promise<(Original | null)[]> =>
  turns.run(async () => {
    const bytes = held.has(key) ? undefined : await load();
    const answer = (await ask({ kind: "trace", key, bytes, places }, bytes ? [bytes.buffer] : [])) as Traced;
    held.delete(key);
    held.set(key, answer.mappingCount); // the latest last
    await forgetOldest();
    return answer.originals;
  });

async function forgetOldest(): Promise<void> {
  let mappings = held.values().reduce((sum, count) => sum + count, 0);
  const keys: string[] = [];
  for (const [key, count] of held) {
    if (mappings <= heldMappingsMax || keys.length === held.size - 1) break;
    keys.push(key);
    mappings -= count;
  }
  if (keys.length === 0) return;
  for (const key of keys) held.delete(key);
  await ask({ kind: "forget", keys });
}

async function ask(request: ThreadRequest, transferred: ArrayBuffer[] = []): Promise<CheckedMap | Traced | null> {
  clearTimeout(idle);
  thread ??= new Worker(new URL("./map-thread.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax, maxYoungGenerationSizeMb: 32 },
  });
  const asked = thread;
  asked.ref();
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const giveUp = setTimeout(() => reject(new Error("it takes too long")), timeoutMs);
  const onExit = () => reject(new Error("it takes too much memory"));
  asked.on("message", resolve).on("error", reject).on("exit", onExit);
  try {
    asked.postMessage(request, transferred);
    const answer = await promise;
    if ("refused" in answer) throw new UnreadableMap(answer.refused);
    return answer.result;
  } catch (error) {
    if (error instanceof UnreadableMap) throw error;
    await endThread();
    throw new UnreadableMap(
      (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY"
        ? "it takes too much memory"
        : (error as Error).message,
    );
  } finally {
    clearTimeout(giveUp);
    asked.off("message", resolve).off("error", reject).off("exit", onExit);
    asked.unref();
    idle = setTimeout(() => void endThread(), idleMs);
    idle.unref();
  }
}

async function endThread(): Promise<void> {
  const ended = thread;
  thread = undefined;
  held.clear();
  ended?.on("error", () => {}); // it ends anyway
  await ended?.terminate();
}
