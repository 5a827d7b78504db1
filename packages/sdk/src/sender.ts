import type { submitReport } from "@lodge/contract/calls.generated";
import { fitReport } from "./fit-report.ts";
import type { LodgeError } from "./lodge-error.ts";
import type { Platform, Session } from "./platform.ts";
import type { Service } from "./service.ts";
import { type Part, type QueuedReport, type Row, type Store, sizeOf } from "./store.ts";
import type { Config, Envelope, Receipt, Status } from "./types.ts";

/** Retry delays in milliseconds. Each is shortened by up to half at random (jitter). The last one repeats. */
const waitsMs = [1000, 2000, 5000, 30_000, 300_000];
/** Browsers send no more than 64 KiB after a page is closed. */
const keepaliveBytesMax = 60_000;
/** The time that a session stays `blocked` or `suspended` while its tab stays open. */
const sessionMs = 6 * 3_600_000;
/** The time to wait for the network before an attempt is made anyway. */
const offlineMs = 60_000;

const ingest: (typeof submitReport)["path"] = "/api/ingest";

/** The outcome of a report: its receipt, or an error code if it has none. */
export type Outcome = { receipt?: Receipt; code?: string; message?: string | undefined };

/** Sends queued reports one at a time, until each has a final response. */
export type Sender = {
  /** Checks the queue for reports to send. */
  wake: () => void;
  /** Ends `rest`, because the page or the network is back. */
  resume: () => void;
  /** Skips the retry delay, but not a `Retry-After` of the server. */
  hurry: () => void;
  /** Lets other tabs send, until `resume`. */
  rest: () => void;
  isResting: () => boolean;
  /**
   * Sends a report immediately, in a request that outlives the page, unless one is in progress or sending is paused.
   * Does not count as an attempt: a report that the server did not receive stays in the queue.
   */
  sendLast: (envelope: Envelope) => void;
  close: () => Promise<void>;
  state: () => Status["state"];
  /** The state if sending is disabled, or else undefined. */
  quiet: () => Status["state"] | undefined;
};

type Deps = {
  platform: Platform;
  name: string;
  service: Service;
  key: string;
  store: Store;
  /** Older reports are dropped. */
  ageMaxMs: number;
  config: () => Promise<Config>;
  settle: (id: string, outcome: Outcome) => Promise<void>;
  giveUp: (row: Row, reason: string) => Promise<void>;
  changed: () => void;
};

/** Creates the sender of a queue. */
export function createSender(deps: Deps): Sender {
  const { platform, store, service } = deps;
  const tries = new Map<string, number>();
  const outliving = new Set<string>(); // the ids of reports in requests that outlive the page
  let turn: AbortController | undefined; // while this tab sends or waits for the lock
  let isAgain = false;
  let isSending = false;
  let isRefused = false;
  let isClosed = false;
  let isResting = false;
  let failures = 0;
  let serverRetryAt = 0; // from Retry-After
  let retryAt = 0; // from the retry delay
  let stopWaiting = () => {};
  let ended = Promise.resolve();

  const session = (): Session => {
    const session = platform.session.read();
    return Date.now() - session.at > sessionMs ? { unreachable: 0, at: 0 } : session;
  };
  const note = (change: Partial<Session>) => platform.session.write({ ...session(), at: Date.now(), ...change });
  /** Why sending is disabled, or undefined if it is not. */
  const quiet = (): Status["state"] | undefined => {
    if (isClosed || isRefused) return "off";
    const { suspended, unreachable } = session();
    if (suspended) return "suspended";
    return unreachable >= platform.triesMax ? "blocked" : undefined;
  };

  /** Resolves to true once an attempt may start, or to false if none should be made. */
  async function mayTry(signal: AbortSignal): Promise<boolean> {
    let isOver = false;
    for (;;) {
      const why = quiet();
      // Lets another tab try, as it may be able to send. Not if suspended: each tab would lose a report to that.
      if (signal.aborted || isResting || (why && why !== "suspended")) return false;
      const isOffline = !platform.isOnline();
      // Some browsers report that they are offline when they are not.
      const waitMs = Math.max(serverRetryAt - now(), retryAt - now(), isOffline && !isOver ? offlineMs : 0);
      if (!why && waitMs <= 0) return true;
      isOver = await new Promise<boolean>((resolve) => {
        const cancel = why ? () => {} : platform.after(waitMs, () => resolve(isOffline));
        stopWaiting = () => {
          cancel();
          resolve(false);
        };
      });
    }
  }

  function later(retryAfter?: string | null) {
    const waitMs = waitsMs[Math.min(failures++, waitsMs.length - 1)] ?? 0;
    retryAt = now() + waitMs * (1 - Math.random() / 2);
    const namedMs = retryAfter ? Number(retryAfter) * 1000 || Date.parse(retryAfter) - Date.now() : 0;
    // Jitter, so that clients with the same Retry-After do not all retry at the same moment.
    if (namedMs > 0) serverRetryAt = now() + Math.min(namedMs, 86_400_000) + Math.random() * 1000;
  }

  function refuse() {
    isRefused = true;
  }

  function unreachable() {
    // Requests aborted because the page was left do not count as an unreachable server.
    if (!isClosed && !isResting && platform.isOnline()) note({ unreachable: session().unreachable + 1 });
    later();
  }

  async function work(signal: AbortSignal) {
    for (;;) {
      const rows = await store.list();
      const order = (row: Row) => tries.get(row.id) ?? 0;
      const [row] = rows.sort((one, other) => order(one) - order(other));
      if (!row || !(await mayTry(signal))) return;
      isSending = true;
      deps.changed();
      await trySending(row).catch(() => later());
      isSending = false;
      deps.changed();
    }
  }

  async function trySending(row: Row) {
    tries.set(row.id, (tries.get(row.id) ?? 0) + 1);
    if (Date.now() - timeOf(row.id) > deps.ageMaxMs) return deps.giveUp(row, "queue_age");
    const queued = await store.read(row.id);
    if (!queued) return store.remove(row.id); // another tab has sent it
    let config: Config | undefined;
    try {
      config = await deps.config();
    } catch (error) {
      const { answer } = error as LodgeError;
      if (!answer) return unreachable();
      const { status, retryAfter } = answer;
      // A proxy may only forward reports.
      if (status !== 404) return status === 401 ? refuse() : later(retryAfter);
    }
    if (config?.enabled === false) return refuse();
    let report = fitReport(queued, config?.limits);
    for (;;) {
      const answer = await post(report);
      if (!answer) return unreachable();
      const { status, body, retryAfter } = answer;
      note({ unreachable: 0 });
      if (status === 200) {
        failures = 0;
        return deps.settle(row.id, { receipt: body as Receipt });
      }
      const code = `${body.error ?? status}`;
      if (status === 401) return refuse(); // the queue stays for the next key
      if (status === 413 && report.parts.length > 0) {
        report = fitReport(report, { ...config?.limits, requestBytes: sizeOf(report) - 1 }, code);
        continue;
      }
      if (![400, 403, 413].includes(status)) return later(retryAfter);
      if (code === "org_suspended") note({ suspended: true });
      return deps.settle(row.id, { code, message: body.message as string | undefined });
    }
  }

  async function post({ envelope, parts }: QueuedReport) {
    return send(envelope, await pack(JSON.stringify(envelope)), parts);
  }

  /** Starts the request synchronously: code after an `await` may not run while the page unloads. */
  async function send({ reportId }: Envelope, packed: Blob, parts: readonly Part[] = []) {
    const form = new FormData();
    form.append("envelope", packed);
    for (const { partName, bytes, contentType, filename } of parts) {
      form.append(partName, new Blob([bytes], { type: contentType ?? "" }), filename);
    }
    const bytes = parts.reduce((sum, part) => sum + part.byteLength, packed.size);
    const keepalive = parts.length === 0 && bytes < keepaliveBytesMax;
    if (keepalive) outliving.add(reportId);
    const answer = await service(ingest, deps.key, { method: "POST", body: form, keepalive }, bytes);
    outliving.delete(reportId);
    return answer?.status === 200 && answer.body.status !== "received" ? undefined : answer;
  }

  function sendLast(envelope: Envelope) {
    const { reportId } = envelope;
    if (quiet() || serverRetryAt > now() || !platform.isOnline() || outliving.has(reportId)) return;
    const packed = new Blob([JSON.stringify(envelope)], { type: "application/json" });
    if (packed.size >= keepaliveBytesMax) return;
    send(envelope, packed)
      .then(async (answer) => {
        if (answer?.status === 200) await deps.settle(reportId, { receipt: answer.body as Receipt });
      })
      .catch(() => {});
  }

  function wake() {
    stopWaiting();
    if (isClosed || isResting) return;
    isAgain = turn !== undefined;
    if (isAgain) return;
    turn = new AbortController();
    const { signal } = turn;
    signal.onabort = () => stopWaiting();
    ended = platform
      .alone(deps.name, signal, () => work(signal))
      .catch(() => {})
      .then(() => {
        turn = undefined;
        deps.changed();
        if (isAgain) wake();
      });
  }

  return {
    wake,
    resume: () => {
      isResting = false;
      wake();
    },
    hurry: () => {
      retryAt = 0;
      wake();
    },
    rest: () => {
      isResting = true;
      isAgain = false;
      stopWaiting();
      if (!isSending) turn?.abort();
    },
    isResting: () => isResting,
    sendLast,
    close: async () => {
      isClosed = true;
      turn?.abort();
      await ended;
    },
    state: () => quiet() ?? (isSending ? "sending" : "waiting"),
    quiet,
  };
}

/** Monotonic time in milliseconds, unaffected by changes to the system clock. */
const now = () => performance.now();

/** The creation time of a UUIDv7, in milliseconds since 1970. */
const timeOf = (id: string) => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

/** Compresses all but short texts. */
async function pack(text: string): Promise<Blob> {
  if (text.length < 1000) return new Blob([text], { type: "application/json" });
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": "application/gzip" } }).blob();
}
