import { CompiledQuery } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { dayOf, decides, limitOf, monthOf, monthsAfter, spreadInstallsOf } from "./month-sql.ts";
import { suspendSql } from "./suspend.ts";

const opened = `insert into allowance_months (organisation_id, month, install_limit, decides)
  select organisations.id, ${monthOf("$1::timestamptz")}, ${limitOf("organisations")}, true
  from allowance_months last join organisations on organisations.id = last.organisation_id
  where last.month = ${monthsAfter(monthOf("$1::timestamptz"), -1)} and organisations.id = coalesce($2::uuid, organisations.id)
    and ${decides("organisations.id", monthOf("$1::timestamptz"))}
  on conflict (organisation_id, month) do update set decides = true where not allowance_months.decides and not allowance_months.forgiven`;

const crossed = `with crossed as materialized (
    update allowance_months set crossed_on = ${dayOf("$1::timestamptz")}
    where month = ${monthOf("$1::timestamptz")} and organisation_id = coalesce($2::uuid, organisation_id)
      and decides and crossed_on is null and installs + ${spreadInstallsOf("allowance_months")} > install_limit
    returning organisation_id, month, crossed_on, install_limit,
      installs + ${spreadInstallsOf("allowance_months")} as installs, $1::timestamptz as at
  ), ${suspendSql("crossed")}
  select`;

/**
 * Decides this month as its requests would (contract section 5): for which organisations the month decides, and which
 * of these are over their limit and so suspended. For one organisation, or for all.
 */
export async function decideMonth(db: Database | Transaction, now: Date, organisationId?: string): Promise<void> {
  const values = [now, organisationId ?? null];
  await db.executeQuery(CompiledQuery.raw(opened, values));
  await db.executeQuery(CompiledQuery.raw(crossed, values));
}
