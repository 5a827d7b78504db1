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

/** The memory limit of a map's thread. If it is exceeded, the thread ends, and other maps use a new one. */
const heapMegabytesMax = 512;
/** The processor time for finding positions in one map, and the time by the clock for any request on a busy machine. */
const traceCpuMsMax = 2_000;
const clockMsMax = 10_000;
/**
 * The interval at which a late thread is asked for its processor time. It answers only between some steps of its work.
 */
const askMs = 250;
/** The decoded maps that are cached while any are in use, as a number of mappings. */
const heldWeightMax = 2_500_000;
const idleMs = 30_000;

/**
 * A source map that cannot be read; its message says why. If it is not `isFinal`, the machine was too busy and another
 * attempt may succeed.
 */
export class UnreadableMap extends Error {
  override name = "UnreadableMap";
  readonly isFinal: boolean;

  constructor(message: string, isFinal = true) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** A thread in which organisations take turns. It has no state worth keeping, and ends when it is idle. */
type Reader = {
  turns: Gate;
  held: Map<string, number>;
  thread: Worker | undefined;
  idle: NodeJS.Timeout | undefined;
  /** The thread's processor time at its last answer. */
  cpuMs: number;
};

const makeReader = (): Reader => ({
  turns: new Gate({ runningMax: 1, waitingMax: 1_000, waitingOfOneMax: 100 }),
  held: new Map(),
  thread: undefined,
  idle: undefined,
  cpuMs: 0,
});

// A separate thread, so that uploads do not delay reports.
const uploads = makeReader();
const reports = makeReader();

/**
 * Checks in a thread, with bounded time and memory, that bytes are a source map or mapping file that can be decoded.
 * Returns what to store of it, including the text of the app's own sources if `keepsTexts`. The bytes are transferred
 * to the thread. Throws `UnreadableMap`.
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

/** A map stored under a key. `load` returns its bytes, if it has to be decoded. */
export type KeptMap = { organisationId: string; key: string; load: () => Promise<Uint8Array<ArrayBuffer>> };

/**
 * The original position of each place in a bundled file, or null. Takes at most 2 s of processor time. Throws
 * `UnreadableMap`.
 */
export const traceMap = async (
  map: KeptMap,
  places: readonly Place[],
  withLines: boolean,
): Promise<(Original | null)[]> =>
  (await askKept<Traced>(map, (bytes) => ({ kind: "trace", key: map.key, bytes, places, withLines }))).originals;

/**
 * The original names of calls and types that ProGuard or R8 renamed. Takes at most 2 s of processor time. Throws
 * `UnreadableMap`.
 */
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
    held.set(key, answer.weight); // moves it to the end
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

/** A refusal by the thread, which can still take requests. */
class Refused extends Error {}

/**
 * Fails when the thread has used too much processor time, which is the map's fault, or taken too long by the clock,
 * which is the busy machine's.
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
  ended?.on("error", () => {}); // it is ending anyway
  await ended?.terminate();
}
