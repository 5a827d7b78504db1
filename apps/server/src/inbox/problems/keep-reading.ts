import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../../platform/deps.ts";
import { makeWorkerId } from "../../platform/jobs/jobs.ts";
import { readEvents } from "./read-events.ts";
import { returnCards } from "./return-cards.ts";

const pollMs = 300;
const retryMs = 1_000;
const cardsRetryMs = 60_000;
/**
 * After a batch, reading rests this many times as long, at most `pollMs`, so that a burst of reports is accepted first
 * and read afterwards (docs/decisions/problems.md). It does not rest while the oldest unread event is older than
 * `lagMaxMs`.
 */
const restsPerBatch = 9;
const lagMaxMs = 60_000;

/**
 * Reads events into the inboxes of their apps as they arrive, until it is stopped. Runs in each worker; only one of
 * them reads each event. Apps with source maps have a loop of their own, since decoding maps takes time.
 */
export function keepReading(deps: Deps, workerId = makeWorkerId()): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});

  async function run(hasMaps: boolean) {
    const reader = { hasMaps, name: `${workerId} ${hasMaps ? "mapped" : "plain"}` };
    // Start with the cards that a killed worker did not return.
    let returnsCardsAt = hasMaps ? Number.POSITIVE_INFINITY : 0;
    while (!stopping.signal.aborted) {
      if (performance.now() >= returnsCardsAt) returnsCardsAt = await returnOwedCards();
      try {
        const began = performance.now();
        const { count, oldestAt } = await readEvents(deps, reader);
        const isLate = oldestAt !== undefined && deps.clock.now().getTime() - oldestAt.getTime() > lagMaxMs;
        if (!isLate) await pause(count === 0 ? pollMs : Math.min(pollMs, restsPerBatch * (performance.now() - began)));
      } catch (error) {
        returnsCardsAt = Math.min(returnsCardsAt, performance.now() + retryMs);
        deps.log.warn({ err: error }, "events could not be read into the inbox");
        await pause(retryMs);
      }
    }
  }
  /** Returns when to try again. A failure here does not stop the reading. */
  async function returnOwedCards(): Promise<number> {
    try {
      await returnCards(deps);
      return Number.POSITIVE_INFINITY;
    } catch (error) {
      deps.log.warn({ err: error }, "cards of reopened problems could not be moved back");
      return performance.now() + cardsRetryMs;
    }
  }
  const running = Promise.all([run(false), run(true)]);
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
