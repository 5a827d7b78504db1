import type { Database } from "../../platform/database/database.ts";
import { deleteInSteps } from "../../platform/database/delete-in-steps.ts";

/** Deletes the inbox of a deleted app, once its events are gone. Yields after each step, where it can be stopped. */
export async function* eraseProblemsOfApp(db: Database, appId: string): AsyncGenerator<void> {
  // Referring rows are deleted first, so that no delete cascades to many rows.
  yield* deleteInSteps(db, "unread_events", appId);
  await db.deleteFrom("reading_turns").where("of_app", "=", appId).execute();
  yield* deleteInSteps(db, "regroup_targets", appId);
  yield* deleteInSteps(db, "regroup_steps", appId);
  yield* deleteInSteps(db, "regroupings", appId);
  yield* deleteInSteps(db, "problem_installs", appId);
  yield* deleteInSteps(db, "problem_users", appId);
  yield* deleteInSteps(db, "problem_spikes", appId);
  yield* deleteInSteps(db, "problem_facets", appId);
  yield* deleteInSteps(db, "problem_texts", appId);
  yield* deleteInSteps(db, "problem_days", appId);
  yield* deleteInSteps(db, "problem_hashes", appId);
  yield* deleteInSteps(db, "report_cards", appId);
  yield* deleteInSteps(db, "problems", appId);
  yield* deleteInSteps(db, "app_facets", appId);
  yield* deleteInSteps(db, "app_releases", appId);
  yield* deleteInSteps(db, "app_hours", appId);
}
