import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Gate } from "../../platform/limits/gate.ts";
import type {
  CheckedMap,
  MapFormat,
  Obfuscated,
  Original,
  Place,
  Retraced,
  ThreadAnswer,
  ThreadRequest,
  Traced,
} from "./map-thread.ts";

/** The memory limit of a map's thread. Above it the thread ends, and others go on in a new one. */
const heapMegabytesMax = 512;
/** The processor time to find places in one map; and any request by the clock, on a machine that is busy. */
const traceCpuMsMax = 2_000;
const clockMsMax = 10_000;
/**
 * The interval at which a late thread is asked for its processor time, which it answers only between some steps of its
 * work.
 */
const askMs = 250;
/** Decoded maps stay at hand for as long as some are asked for, up to what so many mappings take. */
const heldWeightMax = 2_500_000;
const idleMs = 30_000;

/**
 * A source map that cannot be read; its message says why. Another attempt may do better where it is not `isFinal`: the
 * machine was too busy.
 */
export class UnreadableMap extends Error {
  override name = "UnreadableMap";
  readonly isFinal: boolean;

  constructor(message: string, isFinal = true) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** A thread in which organisations take turns, ended when it is not needed: nothing of it has to be known to another. */
type Reader = {
  turns: Gate;
  held: Map<string, number>;
  thread: Worker | undefined;
  idle: NodeJS.Timeout | undefined;
  /** The processor time of the thread at its last answer. */
  cpuMs: number;
};

const makeReader = (): Reader => ({
  turns: new Gate({ runningMax: 1, waitingMax: 1_000, waitingOfOneMax: 100 }),
  held: new Map(),
  thread: undefined,
  idle: undefined,
  cpuMs: 0,
});

// An upload of maps makes no report wait.
const uploads = makeReader();
const reports = makeReader();

/**
 * Checks that bytes are a source map or a mapping file that can be decoded, in a thread of its own, with bounded time and
 * memory; returns what to keep of it, of a source map with the text of the app's own sources or without. The bytes are
 * handed over. Throws `UnreadableMap`.
 */
export const checkMap = (
  organisationId: string,
  format: MapFormat,
  bytes: Uint8Array<ArrayBuffer>,
  keepsTexts: boolean,
): Promise<CheckedMap> =>
  uploads.turns.run(async () => {
    const request = { kind: "check", format, bytes, keepsTexts } as const;
    return (await ask(uploads, request, clockMsMax, [bytes.buffer])) as CheckedMap;
  }, organisationId);

/** A map that was kept under a key; `load` returns its bytes, where it has to be decoded. */
export type KeptMap = { organisationId: string; key: string; load: () => Promise<Uint8Array<ArrayBuffer>> };

/**
 * Finds where places in a bundled file come from: for each of them the original, or null. Takes 2 s of a processor at most.
 * Throws `UnreadableMap`.
 */
export const traceMap = async (
  map: KeptMap,
  places: readonly Place[],
  withLines: boolean,
): Promise<(Original | null)[]> =>
  (await askKept<Traced>(map, (bytes) => ({ kind: "trace", key: map.key, bytes, places, withLines }))).originals;

/** Finds what calls and types were called before ProGuard or R8 named them. Takes 2 s of a processor at most. Throws `UnreadableMap`. */
export const retraceMap = (map: KeptMap, asked: Obfuscated): Promise<Retraced> =>
  askKept<Retraced>(map, (bytes) => ({ kind: "retrace", key: map.key, bytes, asked }));

const askKept = <Answer extends Traced | Retraced>(
  { organisationId, key, load }: KeptMap,
  request: (bytes: Uint8Array<ArrayBuffer> | undefined) => ThreadRequest,
): Promise<Answer> =>
  reports.turns.run(async () => {
    const { held } = reports;
    const bytes = held.has(key) ? undefined : await load();
    const transferred = bytes ? [bytes.buffer] : [];
    const answer = (await ask(reports, request(bytes), traceCpuMsMax, transferred)) as Answer;
    held.delete(key);
    held.set(key, answer.weight); // the latest last
    await forgetOldest(reports);
    return answer;
  }, organisationId);

async function forgetOldest(reader: Reader): Promise<void> {
  const { held } = reader;
  let sum = held.values().reduce((before, weight) => before + weight, 0);
  const keys: string[] = [];
  for (const [key, weight] of held) {
    if (sum <= heldWeightMax || keys.length === held.size - 1) break;
    keys.push(key);
    sum -= weight;
  }
  if (keys.length === 0) return;
  for (const key of keys) held.delete(key);
  await ask(reader, { kind: "forget", keys }, traceCpuMsMax);
}

async function ask(
  reader: Reader,
  request: ThreadRequest,
  cpuMsMax: number,
  transferred: ArrayBuffer[] = [],
): Promise<CheckedMap | Traced | Retraced | null> {
  clearTimeout(reader.idle);
  if (reader.thread === undefined) reader.cpuMs = 0;
  reader.thread ??= new Worker(new URL("./map-thread.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax, maxYoungGenerationSizeMb: 32 },
  });
  const asked = reader.thread;
  asked.ref();
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const onExit = () => reject(new UnreadableMap("It takes too much memory to decode."));
  asked.on("message", resolve).on("error", reject).on("exit", onExit);
  const watch = new AbortController();
  try {
    asked.postMessage(request, transferred);
    const answer = await Promise.race([promise, overrun(asked, reader.cpuMs + cpuMsMax, cpuMsMax, watch.signal)]);
    reader.cpuMs = answer.cpuMs;
    if ("refused" in answer) throw new Refused(answer.refused);
    return answer.result;
  } catch (error) {
    if (error instanceof Refused) throw new UnreadableMap(error.message);
    await endThread(reader);
    if (error instanceof UnreadableMap) throw error;
    throw new UnreadableMap(
      (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY"
        ? "It takes too much memory to decode."
        : (error as Error).message,
    );
  } finally {
    watch.abort();
    asked.off("message", resolve).off("error", reject).off("exit", onExit);
    asked.unref();
    reader.idle = setTimeout(() => void endThread(reader), idleMs);
    reader.idle.unref();
  }
}

/** A refusal of a thread, after which it takes the next request. */
class Refused extends Error {}

/**
 * Fails when a thread has used more of a processor than it may, or has taken too long by the clock: what a map costs is its
 * own fault, that a machine is busy is not.
 */
async function overrun(thread: Worker, cpuMsEnd: number, firstMs: number, signal: AbortSignal): Promise<never> {
  const beganAt = performance.now();
  let cpuMs = 0;
  for (let waitMs = firstMs; performance.now() - beganAt < clockMsMax; waitMs = askMs) {
    await sleep(Math.min(waitMs, clockMsMax - (performance.now() - beganAt)), undefined, { signal, ref: false }).catch(
      () => {},
    );
    if (signal.aborted) return new Promise(() => {});
    void thread.cpuUsage().then(
      ({ user, system }) => {
        cpuMs = (user + system) / 1000;
      },
      () => {}, // it has ended
    );
    await new Promise(setImmediate);
    if (cpuMs > cpuMsEnd) throw new UnreadableMap("It takes too long to decode.");
  }
  throw new UnreadableMap("It took too long to decode because the server was busy.", false);
}

async function endThread(reader: Reader): Promise<void> {
  const ended = reader.thread;
  reader.thread = undefined;
  reader.held.clear();
  ended?.on("error", () => {}); // it ends anyway
  await ended?.terminate();
}
