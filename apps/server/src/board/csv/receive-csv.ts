import { csvBytesMax, csvFilesPerMinute } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { unavailable } from "../../platform/errors.ts";
import { ByteBudget } from "../../platform/limits/byte-budget.ts";
import { limitRate } from "../../platform/limits/limit-rate.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";

/** The files that this process works on together. */
const budget = new ByteBudget(4 * csvBytesMax);
/** One organisation's files leave the connections and the cores to the others. */
const turns = takeTurns({ atOnce: 1, waitingMax: 8 });

/**
 * Works on a CSV file once it is its turn. Throws `rate_limit_exceeded` where the person or the organisation sends too
 * many, and `unavailable` where this process has too many of them.
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
