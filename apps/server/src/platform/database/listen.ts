import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../observe/log.ts";
import { within } from "../outage.ts";
import { openListeningConnection } from "./connection.ts";
import { liveChannelSql, type Notification, payloadOf } from "./publish.ts";

const retryMs = 500;
const readyTimeoutMs = 5_000;
/** The time limit to wait for the position: there is a way to do without. */
const positionTimeoutMs = 1_000;
/**
 * The number of events that are kept for clients that reconnect: at 200 bytes each, minutes of a busy team, seconds of
 * a flood.
 */
const keptMax = 8_192;

/** The messages that a process receives from others, and from itself. */
export type Listener = {
  onNotification: (notification: Notification) => void;
  /** Some may have been missed: the connection to the database was lost, or there were more than could be told. */
  onGap: () => void;
};

/** The one connection on which this process listens. It opens when somebody first wants to hear, and reopens when lost. */
export type Listening = {
  /** Resolves as soon as nothing that happens from now on is missed; fails where that takes more than 5 s. */
  add: (listener: Listener) => Promise<void>;
  remove: (listener: Listener) => void;
  /**
   * The id of what was heard last, the same in every process: a read of the database after this sees all changes
   * announced until then. Undefined where this process does not hear.
   */
  position: () => string | undefined;
  /** The same once this process hears, but not later than in a second. */
  positionSoon: () => Promise<string | undefined>;
  /** The messages after a position; undefined where that is not known any more. */
  heardSince: (position: string) => Notification[] | undefined;
  close: () => Promise<void>;
};

/** Hears what `publish` and `announce` tell, in every process of the deployment. */
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
        log.warn({ err: error }, "cannot hear of changes");
      }
      forget();
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  async function hear(again: boolean) {
    const onLost = (error: Error) => log.warn({ err: error }, "lost the connection that hears of changes");
    const connection = await openListeningConnection(pool.options, "lodged live", onLost);
    const lost = new Promise((resolve) => connection.once("end", resolve));
    const end = () => void connection.end();
    closing.signal.addEventListener("abort", end);
    if (closing.signal.aborted) end();
    let gap = again;
    try {
      connection.on("notification", ({ payload = "" }) => {
        if (gap) for (const listener of listeners) listener.onGap(); // before anything that has a position beyond it
        gap = false;
        tell(JSON.parse(payload) as Notification);
      });
      const { rows } = await connection.query<{ channel: string }>(`select ${liveChannelSql} as channel`);
      const [{ channel } = { channel: "" }] = rows;
      await connection.query(`listen "${channel}"`);
      // Heard by all processes, this one among them: they have a position in common before anything happens, and a gap is told.
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
