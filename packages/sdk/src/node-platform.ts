import { createHash, webcrypto } from "node:crypto";
import { homedir, platform, release } from "node:os";
import { join } from "node:path";
import { attempt } from "./attempt.ts";
import { noteConsole } from "./breadcrumbs.ts";
import { type DirectoryStore, directoryStore } from "./directory-store.ts";
import type { Options } from "./options.ts";
import type { Platform, Session } from "./platform.ts";
import { sendNow } from "./send-now.ts";
import { bytesMaxDefault } from "./store.ts";

/** A Node process. Sends its own reports, and those of processes that died. */
export function nodePlatform({ ingestUrl, key, capture }: Pick<Options, "ingestUrl" | "key" | "capture">): Platform {
  const sendsBeforeExit = typeof capture?.errors === "object" && capture.errors.sendBeforeExit;
  let session: Session = { unreachable: 0, at: 0 };
  let store: DirectoryStore | undefined;
  let bytesMax = bytesMaxDefault;
  return {
    resolve: addressOf,
    openStore: async ({ key, queue }) => {
      const folder = createHash("sha256").update(key).digest("hex").slice(0, 16);
      bytesMax = queue?.bytesMax ?? bytesMaxDefault;
      const directory = queue?.directory ?? join(homedir(), ".lodge", folder);
      try {
        store = directoryStore(directory);
        return store;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? error;
        console.warn(
          `Lodge cannot write to ${directory} (${code}). Reports are kept in memory and are lost when the process ends. Set queue.directory to a folder that can be written.`,
        );
        throw error;
      }
    },
    alone: (_name, _signal, work) => work(),
    session: {
      read: () => session,
      write: (changed) => {
        session = changed;
      },
    },
    channel: () => ({ tell: () => {}, close: () => {} }),
    isOnline: () => true,
    watch: (wake, _rest, ending) => {
      const timer = setInterval(wake, 2000).unref(); // another process may have died
      ending.addEventListener("abort", () => clearInterval(timer));
    },
    triesMax: Number.POSITIVE_INFINITY,
    randomBytes: (count) => webcrypto.getRandomValues(new Uint8Array(count)),
    digest: (bytes) => webcrypto.subtle.digest("SHA-256", bytes),
    watchErrors: (compose, _enqueue, filter, ending) => {
      // By default, an unhandled rejection ends the process as an uncaught error does.
      const onError = (error: unknown, origin: string) => {
        const envelope = compose(error, origin === "unhandledRejection" ? "rejection" : "error");
        if (!envelope) return;
        try {
          const filtered = filter(envelope);
          if (filtered instanceof Promise) return; // the process ends before it resolves
          if (!filtered) return;
          attempt(() => store?.putNow({ envelope: filtered, parts: [] }, bytesMax));
          if (sendsBeforeExit && sendNow(addressOf(ingestUrl), key, filtered)) store?.removeNow(filtered.reportId);
        } catch {}
      };
      process.on("uncaughtExceptionMonitor", onError);
      ending.addEventListener("abort", () => process.off("uncaughtExceptionMonitor", onError));
    },
    leaveBreadcrumbs: noteConsole,
    device: () => ({ os: platform(), osVersion: release() }),
    context: () => ({ node: process.version }),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs).unref();
      return () => clearTimeout(timer);
    },
  };
}

const addressOf = (ingestUrl: string) => new URL(ingestUrl).href.replace(/\/+$/, "");
