import { CompiledQuery } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { recordHappeningsSql } from "./record-happenings.ts";

const statement = recordHappeningsSql(
  "select id, 'disk.low', to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD'), '{}'::jsonb, $1::timestamptz from organisations",
);

/**
 * Notifies the admins of all organisations, once a day (UTC), that a disk has less free space than its reserve. The
 * worker checks every minute.
 */
export async function warnOfDisks({ db, clock, disks }: Pick<Deps, "db" | "clock" | "disks">): Promise<void> {
  if (disks.low().length > 0) await db.executeQuery(CompiledQuery.raw(statement, [clock.now()]));
}
