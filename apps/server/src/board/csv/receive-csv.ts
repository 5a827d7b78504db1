import { csvBytesMax, csvFilesPerMinute } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { unavailable } from "../../platform/errors.ts";
import { ByteBudget } from "../../platform/limits/byte-budget.ts";
import { limitRate } from "../../platform/limits/limit-rate.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";

/** Limits the bytes of all files that this process handles at once. */
const budget = new ByteBudget(4 * csvBytesMax);
/** Limits one organisation's files, so that they leave connections and cores to others. */
const turns = takeTurns({ atOnce: 1, waitingMax: 8 });

/**
 * Handles a CSV file when its turn comes. Throws `rate_limit_exceeded` if the person or the organisation sends too
 * many, and `unavailable` if this process has too many.
 */
export async function receiveCsv<T>(deps: Deps, actor: Actor, file: Buffer, work: () => Promise<T>): Promise<T> {
  await limitRate(deps, `csv:${actor.userId}`, csvFilesPerMinute);
  if (!budget.take(file.length)) throw unavailable();
  try {
    return await turns(actor.organisationId, work);
  } finally {
    budget.give(file.length);
  }
}
