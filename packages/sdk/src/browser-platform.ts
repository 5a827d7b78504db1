import { attempt } from "./attempt.ts";
import { leaveBreadcrumbs } from "./breadcrumbs.ts";
import { indexedDbStore } from "./indexed-db-store.ts";
import type { Platform, Session } from "./platform.ts";
import { watchPageErrors } from "./watch-page-errors.ts";

const triesMax = 6;

/** A page of a browser. Also works without storage, locks or channels. */
export function browserPlatform(key: string): Platform {
  const name = `lodge:${key}`;
  let remembered: Session = { unreachable: 0, at: 0 };
  return {
    resolve: (ingestUrl) => new URL(ingestUrl, location.href).href.replace(/\/+$/, ""),
    openStore: () => indexedDbStore(name),
    alone: async (name, signal, work) => {
      let ours: Promise<void> | undefined;
      const start = () => {
        ours = work();
        return ours;
      };
      try {
        await navigator.locks.request(name, { signal }, start);
      } catch {
        // A page without access to locks has no storage either, so it shares no queue.
        if (!signal.aborted) await (ours ?? work());
      }
    },
    session: {
      read: () => attempt(() => JSON.parse(sessionStorage.getItem(name) ?? "null")) ?? remembered,
      write: (session) => {
        remembered = session;
        attempt(() => sessionStorage.setItem(name, JSON.stringify(session)));
      },
    },
    channel: (name, hear) => {
      const channel = attempt(() => new BroadcastChannel(name));
      channel?.addEventListener("message", ({ data }) => hear(data));
      return { tell: (message) => channel?.postMessage(message), close: () => channel?.close() };
    },
    isOnline: () => navigator.onLine,
    watch: (wake, rest, signal) => {
      for (const type of ["online", "pageshow"]) addEventListener(type, wake, { signal });
      const look = () => {
        // A page becomes hidden after its pagehide. If it woke then, it would be frozen while it holds the lock.
        if (!document.hidden) wake();
      };
      addEventListener("visibilitychange", look, { signal });
      addEventListener("pagehide", rest, { signal });
    },
    triesMax,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    digest: crypto.subtle && ((bytes) => crypto.subtle.digest("SHA-256", bytes)),
    watchErrors: (compose, enqueue, _filter, ending) =>
      watchPageErrors((error, how) => enqueue(compose(error, how)), ending),
    leaveBreadcrumbs,
    device: () => ({
      locale: navigator.language,
      screen: globalThis.screen && `${screen.width}x${screen.height}`, // a worker has none
      userAgent: navigator.userAgent,
    }),
    context: () => ({ url: location.href }),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
