import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../observe/log.ts";
import { within } from "../outage.ts";
import { openListeningConnection } from "./connection.ts";
import { liveChannelSql, type Notification, payloadOf } from "./publish.ts";

const retryMs = 500;
const readyTimeoutMs = 5_000;
/** The time limit to wait for a position. Callers can do without one. */
const positionTimeoutMs = 1_000;
/**
 * The number of messages to keep for clients that reconnect: at 200 bytes each, they cover minutes of a busy team, or
 * seconds of a flood.
 */
const keptMax = 8_192;

/** Receives the messages of all processes, including this one. */
export type Listener = {
  onNotification: (notification: Notification) => void;
  /** Called when messages may be missing: the database connection was lost, or there were too many messages. */
  onGap: () => void;
};

/** The one connection on which this process listens. It opens with the first listener, and reopens when lost. */
export type Listening = {
  /** Resolves once the listener receives all further messages; rejects after 5 s. */
  add: (listener: Listener) => Promise<void>;
  remove: (listener: Listener) => void;
  /**
   * The id of the last message, which is the same in every process. A read of the database after this sees all changes
   * announced until then. Undefined if this process does not listen.
   */
  position: () => string | undefined;
  /** The same, but waits up to a second until this process listens. */
  positionSoon: () => Promise<string | undefined>;
  /** The messages after a position; undefined if it is no longer known. */
  heardSince: (position: string) => Notification[] | undefined;
  close: () => Promise<void>;
};

/** Receives the messages of `publish` and `announce` from every process of the deployment. */
export function listen(pool: pg.Pool, log: Log): Listening {
  const listeners = new Set<Listener>();
  const ready = Promise.withResolvers<void>();
  const closing = new AbortController();
  const kept = new Map<string, Notification>();
  let last: string | undefined;
  let running: Promise<void> | undefined;

  async function run() {
    for (let connections = 0; !closing.signal.aborted; connections++) {
      try {
        await hear(connections > 0);
      } catch (error) {
        log.warn({ err: error }, "cannot listen for changes");
      }
      forget();
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  async function hear(again: boolean) {
    const onLost = (error: Error) => log.warn({ err: error }, "lost the connection that listens for changes");
    const connection = await openListeningConnection(pool.options, "lodged live", onLost);
    const lost = new Promise((resolve) => connection.once("end", resolve));
    const end = () => void connection.end();
    closing.signal.addEventListener("abort", end);
    if (closing.signal.aborted) end();
    let gap = again;
    try {
      connection.on("notification", ({ payload = "" }) => {
        if (gap) for (const listener of listeners) listener.onGap(); // before any message with a later position
        gap = false;
        tell(JSON.parse(payload) as Notification);
      });
      const { rows } = await connection.query<{ channel: string }>(`select ${liveChannelSql} as channel`);
      const [{ channel } = { channel: "" }] = rows;
      await connection.query(`listen "${channel}"`);
      // All processes receive this, so they have a common position before the first message, and notice a gap.
      await connection.query("select pg_notify($1, $2)", [channel, payloadOf({ started: true })]);
      ready.resolve();
      await lost;
    } finally {
      closing.signal.removeEventListener("abort", end);
      end();
    }
  }

  function forget() {
    kept.clear();
    last = undefined;
  }

  function tell(notification: Notification) {
    if ("missed" in notification) forget();
    kept.set(notification.id, notification);
    last = notification.id;
    if (kept.size > keptMax) kept.delete(kept.keys().next().value ?? "");
    for (const listener of listeners) {
      if ("missed" in notification) listener.onGap();
      else listener.onNotification(notification);
    }
  }

  const start = () => {
    running ??= run();
    return ready.promise;
  };

  return {
    add: async (listener) => {
      listeners.add(listener);
      await within(readyTimeoutMs, start());
    },
    remove: (listener) => listeners.delete(listener),
    position: () => last,
    positionSoon: async () => {
      await within(positionTimeoutMs, start()).catch(() => {});
      return last;
    },
    heardSince: (position) => {
      if (!kept.has(position)) return undefined;
      const all = [...kept.values()];
      return all.slice(all.findIndex(({ id }) => id === position) + 1);
    },
    close: async () => {
      closing.abort();
      ready.resolve();
      await running;
    },
  };
}
