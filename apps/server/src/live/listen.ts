import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { liveChannel, type Notification } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";

const retryMs = 500;
const probeMs = 20_000;
const probeTimeoutMs = 10_000;

/** What a process hears of the others, and of itself. */
export type Listener = {
  onNotification: (notification: Exclude<Notification, { missed: true }>) => void;
  /** Some may have been missed: the connection to the database was lost, or there were more than could be told. */
  onGap: () => void;
};

/** The one connection on which this process listens. It opens when somebody first wants to hear, and reopens when lost. */
export type Listening = {
  /** Resolves as soon as nothing that happens from now on is missed. */
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
      const client = new pg.Client({ ...pool.options, application_name: "lodged live", query_timeout: probeTimeoutMs });
      const lost = Promise.withResolvers<void>();
      const end = () => void client.end().catch(() => {});
      client.on("error", (error) => log.warn({ err: error }, "lost the connection that hears of changes"));
      client.on("end", lost.resolve);
      client.on("notification", ({ payload = "" }) => tell(JSON.parse(payload) as Notification));
      closing.signal.addEventListener("abort", end);
      // A connection that died without a word is found by asking.
      const probe = setInterval(() => void client.query("select 1").catch(end), probeMs);
      try {
        await client.connect();
        await client.query(`listen ${liveChannel}`);
        ready.resolve();
        if (connections > 0) for (const listener of listeners) listener.onGap();
        await lost.promise;
      } catch (error) {
        log.warn({ err: error }, "cannot hear of changes");
        end();
      } finally {
        clearInterval(probe);
        closing.signal.removeEventListener("abort", end);
      }
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {});
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
      await ready.promise;
    },
    remove: (listener) => listeners.delete(listener),
    close: async () => {
      closing.abort();
      ready.resolve();
      await running;
    },
  };
}
