import { leaveBreadcrumbs } from "./breadcrumbs.ts";
import { indexedDbStore } from "./indexed-db-store.ts";
import type { Platform, Session } from "./platform.ts";
import { watchPageErrors } from "./watch-page-errors.ts";

const triesMax = 6;

/** A page of a browser. What a browser keeps from it (storage, locks, channels) it does without. */
export function browserPlatform(key: string): Platform {
  const name = `lodge:${key}`;
  let remembered: Session = { unreachable: 0, at: 0 };
  return {
    resolve: (ingestUrl) => new URL(ingestUrl, location.href).href.replace(/\/+$/, ""),
    openStore: () => indexedDbStore(name),
    alone: async (name, signal, work) => {
      let isOurs = false;
      const start = () => {
        isOurs = true;
        return work();
      };
      try {
        await navigator.locks.request(name, { signal }, start);
      } catch (error) {
        if (isOurs || signal.aborted) throw error;
        await work(); // who is refused locks has no storage either, and shares no queue
      }
    },
    session: {
      read: () => {
        try {
          return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? remembered;
        } catch {
          return remembered;
        }
      },
      write: (session) => {
        remembered = session;
        try {
          sessionStorage.setItem(name, JSON.stringify(session));
        } catch {}
      },
    },
    channel: (name, hear) => {
      try {
        const channel = new BroadcastChannel(name);
        channel.onmessage = ({ data }) => hear(data);
        return { tell: (message) => channel.postMessage(message), close: () => channel.close() };
      } catch {
        return { tell: () => {}, close: () => {} };
      }
    },
    isOnline: () => navigator.onLine,
    watch: (wake, rest, signal) => {
      for (const type of ["online", "pageshow"]) addEventListener(type, wake, { signal });
      const look = () => {
        // A page that is left is hidden after its pagehide: one that woke then would be frozen with the lock in its hands.
        if (!document.hidden) wake();
      };
      addEventListener("visibilitychange", look, { signal });
      addEventListener("pagehide", rest, { signal });
    },
    triesMax,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    digest: crypto.subtle && ((bytes) => crypto.subtle.digest("SHA-256", bytes)),
    watchErrors: (compose, enqueue, _filter, ending) =>
      watchPageErrors((error, how) => {
        const envelope = compose(error, how);
        if (envelope) enqueue(envelope);
      }, ending),
    leaveBreadcrumbs,
    device: () => ({
      locale: navigator.language,
      ...(globalThis.screen && { screen: `${screen.width}x${screen.height}` }), // a worker has none
      userAgent: navigator.userAgent,
    }),
    context: () => ({ url: location.href }),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
