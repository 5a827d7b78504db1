import type { Store } from "./store.ts";
import type { Breadcrumb, Envelope, QueueOptions } from "./types.ts";

/** The differences between a browser and Node. */
export type Platform = {
  /** The server's address without a trailing slash. Throws a `TypeError` for an invalid one. */
  resolve: (ingestUrl: string) => string;
  /** Rejects if the platform has no storage. */
  openStore: (options: { key: string; queue?: QueueOptions }) => Promise<Store>;
  /** Runs `work` under a lock that all tabs or processes of the queue share. Rejects if `signal` aborts the wait. */
  alone: (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>;
  /** The state of the session, which lasts as long as the tab or the process. */
  session: { read: () => Session; write: (session: Session) => void };
  /** Tells other tabs of the queue the outcome of a report. */
  channel: (name: string, hear: (message: unknown) => void) => { tell: (message: unknown) => void; close: () => void };
  /** Whether the device may be online. */
  isOnline: () => boolean;
  /** Calls `wake` when the network or the page is back, and `rest` when the page is left, until `ending` aborts. */
  watch: (wake: () => void, rest: () => void, ending: AbortSignal) => void;
  /** The number of failed connections per session, and the length of a session after that. */
  triesMax: number;
  randomBytes: (count: number) => Uint8Array;
  /** Undefined on a page without TLS, which cannot hash. */
  digest: ((bytes: ArrayBuffer) => Promise<ArrayBuffer>) | undefined;
  /**
   * Calls `compose` for each unhandled error, and queues the envelope that it returns: with `enqueue`, or synchronously
   * if the process is about to end.
   */
  watchErrors: (
    compose: (error: unknown, how: string) => Envelope | undefined,
    enqueue: (envelope: Envelope | undefined) => void,
    filter: (envelope: Envelope) => Envelope | null | Promise<Envelope | null>,
    ending: AbortSignal,
  ) => void;
  /** Records breadcrumbs until `ending` aborts. */
  leaveBreadcrumbs: (breadcrumbs: Breadcrumb[], ending: AbortSignal) => void;
  device: () => Envelope["device"];
  context: () => Record<string, unknown>;
  /** A timer that does not keep the process alive; returns a function that cancels it. */
  after: (delayMs: number, run: () => void) => () => void;
};

/** The failures to reach the server, and whether the organisation is suspended. */
export type Session = { unreachable: number; at: number; suspended?: boolean };
