import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../../platform/deps.ts";
import { makeWorkerId } from "../../platform/jobs/jobs.ts";
import { readEvents } from "./read-events.ts";
import { returnCards } from "./return-cards.ts";

const pollMs = 300;
const retryMs = 1_000;
const cardsRetryMs = 60_000;
/**
 * Reading takes this part of the time, so that a burst of reports is accepted first and read afterwards
 * (docs/decisions/problems.md); unless what waits is older than it may become.
 */
const restsPerBatch = 9;
const lagMaxMs = 60_000;

/**
 * Reads events into the inboxes of their apps as they come, until it is stopped: in each worker, each event in one of them.
 * Apps with source maps are read beside the others, since decoding maps takes its time.
 */
export function keepReading(deps: Deps, workerId = makeWorkerId()): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});

  async function run(hasMaps: boolean) {
    const reader = { hasMaps, name: `${workerId} ${hasMaps ? "mapped" : "plain"}` };
    // The first thing is to bring back what a worker that was killed has not.
    let looksForCardsAt = hasMaps ? Number.POSITIVE_INFINITY : 0;
    while (!stopping.signal.aborted) {
      if (performance.now() >= looksForCardsAt) looksForCardsAt = await bringOwedCards();
      try {
        const began = performance.now();
        const { count, oldestAt } = await readEvents(deps, reader);
        const isLate = oldestAt !== undefined && deps.clock.now().getTime() - oldestAt.getTime() > lagMaxMs;
        if (!isLate) await pause(count === 0 ? pollMs : Math.min(pollMs, restsPerBatch * (performance.now() - began)));
      } catch (error) {
        looksForCardsAt = Math.min(looksForCardsAt, performance.now() + retryMs);
        deps.log.warn({ err: error }, "events could not be read into the inbox");
        await pause(retryMs);
      }
    }
  }
  /** Returns when to look again. A failure here does not stop the reading. */
  async function bringOwedCards(): Promise<number> {
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
