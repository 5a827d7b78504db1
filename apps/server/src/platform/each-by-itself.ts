import { isRolledBack } from "./database/database.ts";
import type { Deps } from "./deps.ts";
import { isOutage } from "./outage.ts";

/**
 * Does the same for each of some organisations or apps: what fails for one is logged, and the others have their turn all
 * the same. Throws where nothing can be done for anybody.
 */
export async function eachByItself<Item extends object>(
  { log }: Pick<Deps, "log">,
  what: string,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (isOutage(error) && !isRolledBack(error)) throw error;
      log.error({ err: error, what, of: item }, "a job failed for one of those that it is for");
    }
  }
}
