import { isRolledBack } from "./database/database.ts";
import type { Deps } from "./deps.ts";
import { isOutage } from "./outage.ts";

/**
 * Runs the same work for each item, such as an organisation or app. Logs the failure of one and continues with the
 * next. Throws if the failure affects all of them.
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
      log.error({ err: error, what, of: item }, "a job failed for one item");
    }
  }
}
