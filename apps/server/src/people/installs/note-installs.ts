import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { dayOf, monthOf, spreadInstallsOf } from "./month-sql.ts";

const daysKept = 100;

/**
 * Records each organisation's active installs of this month up to today (UTC): the difference between two days is a
 * day's number. The worker runs it twice an hour, the last time a minute before midnight.
 */
export async function noteInstalls({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  await sql`
    insert into install_days (organisation_id, day, installs)
    select organisation_id, ${sql.raw(dayOf("noted.at"))}, installs + ${sql.raw(spreadInstallsOf("allowance_months"))}
    from allowance_months, (select ${now}::timestamptz as at) noted where month = ${sql.raw(monthOf("noted.at"))}
    on conflict (organisation_id, day) do update set installs = greatest(install_days.installs, excluded.installs)`.execute(
    db,
  );
  for (const table of ["install_days", "key_installs"]) {
    await sql`
      delete from ${sql.table(table)} where day < ${now.toISOString().slice(0, 10)}::date - ${sql.lit(daysKept)}`.execute(
      db,
    );
  }
}
