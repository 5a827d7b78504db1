import { deleteInSteps } from "../../platform/database/delete-in-steps.ts";
import type { Deps } from "../../platform/deps.ts";
import { holdReading } from "../problems/read-events.ts";
import { deleteEvents } from "./delete-events.ts";

const eventsPerStep = 200;

/**
 * Deletes the reports of a deleted app with everything that belongs to them, then the ids that de-duplicated them and
 * the counts of refusals. Yields after each step, where it can be stopped.
 */
export async function* eraseReportsOfApp(deps: Pick<Deps, "db" | "store">, appId: string): AsyncGenerator<void> {
  for (;;) {
    const found = await deps.db
      .selectFrom("events")
      .select("id")
      .where("app_id", "=", appId)
      .orderBy("id")
      .limit(eventsPerStep)
      .execute();
    if (found.length === 0) break;
    await deleteEvents(
      deps,
      appId,
      found.map(({ id }) => id),
      (tx) => holdReading(tx, appId),
    );
    yield;
  }
  yield* deleteInSteps(deps.db, "report_ids", appId);
  yield* deleteInSteps(deps.db, "refusals", appId);
}
