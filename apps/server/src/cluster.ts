import cluster, { type Worker } from "node:cluster";
import type { DatabaseAddress } from "./platform/database/database.ts";
import { describe, OperatorError } from "./platform/errors.ts";
import type { Log } from "./platform/observe/log.ts";
import {
  addUp,
  type MetricsAnswer,
  type MetricsQuestion,
  type NumbersAnswer,
  type NumbersQuestion,
  processDeaths,
  registry,
} from "./platform/observe/metrics.ts";
import { within } from "./platform/outage.ts";
import type { StopSignal } from "./platform/stop-signal.ts";

const pauseMinMs = 100;
const pauseMaxMs = 10_000;
const livedLongMs = 10_000;
// A process gives its requests 30 s; one that has not ended by then never will.
const endTimeoutMs = 35_000;
const numbersTimeoutMs = 400;

type ToProcess =
  | { type: "lodge:start"; address: DatabaseAddress }
  | { type: "lodge:drain" }
  | { type: "lodge:stop"; now: boolean }
  | NumbersQuestion;
type FromProcess =
  | { type: "lodge:ready"; url: string }
  | { type: "lodge:failed"; message: string }
  | MetricsQuestion
  | NumbersAnswer;

/** Processes that serve one port. `url` is the address that they listen on. */
export type Processes = { url: string; stop: (insisted?: AbortSignal) => Promise<void> };

/**
 * Starts `count` processes of this program, tells each the database's address, and replaces those that die, with
 * growing delays if they die immediately. Once `draining` is aborted, all of them drain. Returns when the first one
 * listens. Throws an `OperatorError` if that one cannot.
 */
export async function startProcesses(
  count: number,
  address: DatabaseAddress,
  log: Log,
  draining: AbortSignal,
): Promise<Processes> {
  // Each process accepts connections from the port itself. If this process handed them over, a connection on its way to
  // a process that died would stay open with nobody serving it.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const numbersOf = new Map<Worker, object>();
  const asked = new Map<Worker, PromiseWithResolvers<void>>();
  let stopping = false;
  let pauseMs = pauseMinMs;
  const pauses = new Set<NodeJS.Timeout>();

  const start = (): Worker => {
    const worker = cluster.fork();
    const startedAt = performance.now();
    worker.on("error", (error) => log.warn({ err: error }, "a process cannot be reached"));
    tell(worker, { type: "lodge:start", address });
    if (draining.aborted) tell(worker, { type: "lodge:drain" });
    worker.on("message", (message: FromProcess) => {
      if (message.type === "lodge:metrics?") void answerMetrics(worker, message.id);
      if (message.type === "lodge:numbers!") {
        numbersOf.set(worker, message.numbers);
        asked.get(worker)?.resolve();
      }
      if (message.type === "lodge:failed" && !stopping)
        log.error({ reason: message.message }, "a process cannot serve");
    });
    worker.on("exit", (code, signal) => {
      numbersOf.delete(worker);
      asked.get(worker)?.resolve();
      if (stopping) return;
      pauseMs = performance.now() - startedAt > livedLongMs ? pauseMinMs : Math.min(2 * pauseMs, pauseMaxMs);
      processDeaths.inc();
      log.error({ pid: worker.process.pid, code, signal, againInMs: pauseMs }, "a process died");
      const pause = setTimeout(() => {
        pauses.delete(pause);
        start();
      }, pauseMs);
      pauses.add(pause);
    });
    return worker;
  };

  async function answerMetrics(worker: Worker, id: string) {
    // A process that does not respond in time counts with its last report: without it, the sums would seem to fall.
    await within(numbersTimeoutMs, Promise.all(livingProcesses().map(askNumbers))).catch((error: Error) =>
      log.warn({ err: error }, "a process did not report its metrics"),
    );
    tell(worker, { type: "lodge:metrics!", id, text: await addUp([...numbersOf.values()]) });
  }

  function askNumbers(worker: Worker): Promise<void> {
    const open = asked.get(worker);
    if (open) return open.promise;
    const answer = Promise.withResolvers<void>();
    asked.set(worker, answer);
    tell(worker, { type: "lodge:numbers?" });
    return answer.promise.finally(() => asked.delete(worker));
  }

  draining.addEventListener("abort", () => {
    for (const worker of livingProcesses()) tell(worker, { type: "lodge:drain" });
  });

  async function stop(insisted?: AbortSignal) {
    stopping = true;
    for (const pause of pauses) clearTimeout(pause);
    const tellAll = (now: boolean) => {
      for (const worker of livingProcesses()) tell(worker, { type: "lodge:stop", now });
    };
    const cut = () => tellAll(true);
    insisted?.addEventListener("abort", cut);
    const deadline = setTimeout(() => {
      for (const worker of livingProcesses()) worker.process.kill("SIGKILL");
    }, endTimeoutMs);
    const ended = Promise.all(livingProcesses().map(untilExit));
    tellAll(insisted?.aborted ?? false);
    await ended;
    clearTimeout(deadline);
    insisted?.removeEventListener("abort", cut);
  }

  const first = start();
  try {
    const url = await new Promise<string>((resolve, reject) => {
      first.on("message", (message: FromProcess) => {
        if (message.type === "lodge:ready") resolve(message.url);
        if (message.type === "lodge:failed") {
          stopping = true;
          reject(new OperatorError(message.message));
        }
      });
      first.on("exit", () => reject(new OperatorError("The first process died before it started listening.")));
    });
    for (let started = 1; started < count; started++) start();
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const livingProcesses = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

function tell(worker: Worker, message: ToProcess | MetricsAnswer) {
  // The exit event reports a process that dies meanwhile.
  if (worker.isConnected()) worker.send(message, () => {});
}

const untilExit = (worker: Worker) =>
  new Promise<void>((resolve) => {
    if (worker.isDead()) resolve();
    else worker.on("exit", () => resolve());
  });

/** The messages between the first process and another one. */
export type Membership = {
  address: DatabaseAddress;
  stop: StopSignal;
  draining: AbortSignal;
  tellReady: (url: string) => Promise<void>;
  tellFailed: (error: unknown) => Promise<void>;
  leave: () => void;
};

/** Joins the processes that `startProcesses` started. */
export async function joinProcesses(): Promise<Membership> {
  const tellFirst = (message: FromProcess) =>
    new Promise<void>((resolve) => {
      process.send?.(message, () => resolve());
    });
  const tellNumbers = async () => tellFirst({ type: "lodge:numbers!", numbers: await registry.getMetricsAsJSON() });
  const asked = new AbortController();
  const insisted = new AbortController();
  const draining = new AbortController();
  // Ctrl-C reaches every process of a terminal, but only the first one acts on it and tells the others.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  const address = await new Promise<DatabaseAddress>((resolve) => {
    process.on("message", (message: ToProcess) => {
      if (message.type === "lodge:start") resolve(message.address);
      if (message.type === "lodge:drain") draining.abort();
      if (message.type === "lodge:stop") asked.abort();
      if (message.type === "lodge:stop" && message.now) insisted.abort();
      if (message.type === "lodge:numbers?") void tellNumbers();
    });
  });
  return {
    address,
    stop: { asked: asked.signal, insisted: insisted.signal },
    draining: draining.signal,
    tellReady: (url) => tellFirst({ type: "lodge:ready", url }),
    tellFailed: (error) => tellFirst({ type: "lodge:failed", message: describe(error) }),
    leave: () => process.disconnect?.(),
  };
}
