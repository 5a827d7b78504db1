import type { Store } from "./store.ts";
import type { Breadcrumb, Envelope, QueueOptions } from "./types.ts";

/** The differences between a browser and Node. */
export type Platform = {
  /** Where the server is: an address without a slash at its end. Throws a `TypeError` for anything else. */
  resolve: (ingestUrl: string) => string;
  /** Rejects where there is no such storage. */
  openStore: (options: { key: string; queue?: QueueOptions }) => Promise<Store>;
  /** Runs this while nobody else who shares the queue runs it. Rejects when `signal` says so before its turn has come. */
  alone: (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<void>;
  /** The state of the session: it is over when the tab or the process is. */
  session: { read: () => Session; write: (session: Session) => void };
  /** Tells those who share the queue what became of a report. */
  channel: (name: string, hear: (message: unknown) => void) => { tell: (message: unknown) => void; close: () => void };
  /** Whether there may be a network. */
  isOnline: () => boolean;
  /** Calls `wake` when the network or the page is back, and `rest` when the page is left, until `ending` says so. */
  watch: (wake: () => void, rest: () => void, ending: AbortSignal) => void;
  /** The number of failed connections per session, and the length of a session after that. */
  triesMax: number;
  randomBytes: (count: number) => Uint8Array;
  /** Nothing where the platform does not hash: a page without TLS. */
  digest: ((bytes: ArrayBuffer) => Promise<ArrayBuffer>) | undefined;
  /**
   * Calls `compose` for what nobody handles, and puts what it returns into the queue: with `enqueue`, or at once where
   * the process is about to end.
   */
  watchErrors: (
    compose: (error: unknown, how: string) => Envelope | undefined,
    enqueue: (envelope: Envelope | undefined) => void,
    filter: (envelope: Envelope) => Envelope | null | Promise<Envelope | null>,
    ending: AbortSignal,
  ) => void;
  /** Notes what happens. */
  leaveBreadcrumbs: (breadcrumbs: Breadcrumb[], ending: AbortSignal) => void;
  device: () => Envelope["device"];
  context: () => Record<string, unknown>;
  /** A timer that keeps no process alive; returns what ends it. */
  after: (delayMs: number, run: () => void) => () => void;
};

/** The failures to reach the server, and whether the organisation is suspended. */
export type Session = { unreachable: number; at: number; suspended?: boolean };
