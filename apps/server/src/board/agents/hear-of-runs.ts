import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../../platform/database/listen.ts";
import type { Deps } from "../../platform/deps.ts";

type News = AsyncDisposable & {
  /**
   * Resolves `pauseMs` after a run has changed since the last call, after `timeoutMs` at the latest, or when `signal`
   * aborts.
   */
  next: (timeoutMs: number, pauseMs: number, signal: AbortSignal) => Promise<void>;
};

/** Listens for changes to an organisation's runs by any process, from now until it is disposed of. */
export async function hearOfRuns({ listening, log }: Deps, organisationId: string): Promise<News> {
  let heard = Promise.withResolvers<void>();
  const listener: Listener = {
    onGap: () => heard.resolve(),
    onNotification: (news) => {
      if (!("change" in news) || news.organisationId !== organisationId) return;
      if (news.change.kind === "run.changed" || news.change.kind === "credits.changed") heard.resolve();
    },
  };
  // Without it, waiting requests poll every few seconds.
  await listening
    .add(listener)
    .catch((error: unknown) => log.warn({ err: error }, "cannot listen for changes to runs"));
  return {
    next: async (timeoutMs, pauseMs, signal) => {
      const over = new AbortController();
      const options = { signal: AbortSignal.any([signal, over.signal]) };
      await Promise.race([heard.promise, sleep(timeoutMs, undefined, options)]).catch(() => {});
      over.abort();
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      heard = Promise.withResolvers();
    },
    [Symbol.asyncDispose]: async () => listening.remove(listener),
  };
}
