import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { decideMonth } from "./decide-month.ts";
import { recordLapses } from "./record-lapses.ts";

/**
 * Does what is due when a month has ended: records the suspensions that ended with it, decides on the new one, and
 * forgets which installs were active the month before last. Nothing waits for it: a request that comes first decides the
 * same. Can be stopped at any point and run again; the worker runs it at 00:05 UTC each day, for a first of the month
 * that it was down.
 */
export async function closeMonths({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  await recordLapses(db, now);
  await decideMonth(db, now);
  // The slot of the month before last is that of the next month. Deleting ten million rows takes a minute and bloats.
  const slot = (now.getUTCFullYear() * 12 + now.getUTCMonth() + 2) % 3;
  const table = sql.table(`active_installs_${slot}`);
  const { rows } = await sql<{ filled: boolean }>`select exists (select from ${table}) as filled`.execute(db);
  if (rows[0]?.filled) await sql`truncate ${table}`.execute(db);
}
