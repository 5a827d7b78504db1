import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { decideMonth } from "./decide-month.ts";
import { recordLapses } from "./record-lapses.ts";

/**
 * Does what is due when a month has ended: records the suspensions that ended with it, decides on new ones, and deletes
 * the installs that were active the month before last. No request depends on it: an earlier request decides the same.
 * Can be stopped at any point and run again; the worker runs it at 00:05 UTC every day, in case it was down on the
 * first.
 */
export async function closeMonths({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  await recordLapses(db, now);
  await decideMonth(db, now);
  // The month before last has the slot of next month. Deleting ten million rows would take a minute and leave bloat.
  const slot = (now.getUTCFullYear() * 12 + now.getUTCMonth() + 2) % 3;
  const table = sql.table(`active_installs_${slot}`);
  const { rows } = await sql<{ filled: boolean }>`select exists (select from ${table}) as filled`.execute(db);
  if (rows[0]?.filled) await sql`truncate ${table}`.execute(db);
}
