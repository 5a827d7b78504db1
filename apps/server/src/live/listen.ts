import { setTimeout as sleep } from "node:timers/promises";
import { openListeningConnection } from "../platform/database/connection.ts";
import { liveChannel, type Notification } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { within } from "../platform/outage.ts";

const retryMs = 500;
const readyTimeoutMs = 5_000;

/** What a process hears of the others, and of itself. */
export type Listener = {
  onNotification: (notification: Exclude<Notification, { missed: true }>) => void;
  /** Some may have been missed: the connection to the database was lost, or there were more than could be told. */
  onGap: () => void;
};

/** The one connection on which this process listens. It opens when somebody first wants to hear, and reopens when lost. */
export type Listening = {
  /** Resolves as soon as nothing that happens from now on is missed; fails where that takes more than 5 s. */
  add: (listener: Listener) => Promise<void>;
  remove: (listener: Listener) => void;
  close: () => Promise<void>;
};

/** Hears what `publish` tells, in every process of the deployment. */
export function listen({ pool, log }: Deps): Listening {
  const listeners = new Set<Listener>();
  const ready = Promise.withResolvers<void>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function run() {
    for (let connections = 0; !closing.signal.aborted; connections++) {
      try {
        await hear(connections > 0);
      } catch (error) {
        log.warn({ err: error }, "cannot hear of changes");
      }
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
    try {
      connection.on("notification", ({ payload = "" }) => tell(JSON.parse(payload) as Notification));
      await connection.query(`listen ${liveChannel}`);
      ready.resolve();
      if (again) for (const listener of listeners) listener.onGap();
      await lost;
    } finally {
      closing.signal.removeEventListener("abort", end);
      end();
    }
  }

  function tell(notification: Notification) {
    for (const listener of listeners) {
      if ("missed" in notification) listener.onGap();
      else listener.onNotification(notification);
    }
  }

  return {
    add: async (listener) => {
      listeners.add(listener);
      running ??= run();
      await within(readyTimeoutMs, ready.promise);
    },
    remove: (listener) => listeners.delete(listener),
    close: async () => {
      closing.abort();
      ready.resolve();
      await running;
    },
  };
}
