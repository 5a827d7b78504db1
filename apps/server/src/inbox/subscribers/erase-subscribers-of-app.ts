import type { Database } from "../../platform/database/database.ts";
import { deleteInSteps } from "../../platform/database/delete-in-steps.ts";

/**
 * Deletes the subscribers of a deleted app, once its events are gone. Yields after each step, where it can be stopped.
 */
export async function* eraseSubscribersOfApp(db: Database, appId: string): AsyncGenerator<void> {
  yield* deleteInSteps(db, "told_hashes", appId);
  yield* deleteInSteps(db, "subscriber_hours", appId);
  yield* deleteInSteps(db, "subscribers", appId);
}
