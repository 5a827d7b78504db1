import { CompiledQuery } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { recordHappeningsSql } from "../notifications/record-happenings.ts";
import { dayOf, limitOf, monthOf, spreadInstallsOf } from "./month-sql.ts";

const percents = [80, 100];

const statement = recordHappeningsSql(`
  select organisation_id, 'quota.warning', to_char(month, 'YYYY-MM') || ' ' || percent,
    jsonb_build_object('month', to_char(month, 'YYYY-MM'), 'percent', percent, 'installs', installs, 'limit', install_limit),
    $1::timestamptz
  from (
    select organisation_id, month, installs + ${spreadInstallsOf("allowance_months")} as installs,
      ${limitOf("organisations")} as install_limit
    from allowance_months join organisations on organisations.id = organisation_id
    where month = ${monthOf("$1::timestamptz")}) counted, unnest($2::integer[]) percent
  where installs >= ceil(install_limit * percent / 100.0) and installs > 0
  union all
  select organisation_id, 'organisation.suspended', since::text, jsonb_build_object('since', since::text), $1::timestamptz
  from suspensions where ended_at is null and ends_on > ${dayOf("$1::timestamptz")}`);

/**
 * Notifies admins, once each, that 80 % or 100 % of a month's limit is reached, or that ingestion is suspended. The
 * worker runs it every minute.
 */
export async function warnOfQuota({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement, [clock.now(), percents]));
}
