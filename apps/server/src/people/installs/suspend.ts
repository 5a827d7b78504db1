import { recordAuditSql } from "../audit/record-audit.ts";
import { monthsAfter, numbersOf } from "./month-sql.ts";

/**
 * CTEs that suspend ingestion until the end of the next month, or prolong a current suspension, with the audit log
 * entry. `crossed` names a CTE of organisation_id, month, crossed_on, installs, install_limit and at: the deciding
 * months that have just exceeded their limit. A month does so once, so nothing is suspended twice.
 */
export const suspendSql = (crossed: string) => `
  suspension as (
    insert into suspensions (organisation_id, since, ends_on)
    select organisation_id, coalesce((
        select since from suspensions held
        where held.organisation_id = ${crossed}.organisation_id and ended_at is null and ends_on > crossed_on), crossed_on),
      ${monthsAfter("month", 2)}
    from ${crossed}
    on conflict (organisation_id, since) do update set ends_on = excluded.ends_on
    returning new.organisation_id, new.since, old.since is not null as prolonged
  ), suspension_recorded as (${recordAuditSql(`
    select suspension.organisation_id,
      case when prolonged then 'ingestion.suspension_prolonged' else 'ingestion.suspended' end,
      jsonb_build_object('since', since, 'months', jsonb_build_array(
        ${numbersOf("suspension.organisation_id", `${crossed}.month`, -2)},
        ${numbersOf("suspension.organisation_id", `${crossed}.month`, -1)},
        jsonb_build_object('month', to_char(month, 'YYYY-MM'), 'installs', installs, 'limit', install_limit))),
      at
    from suspension join ${crossed} on ${crossed}.organisation_id = suspension.organisation_id`)}
  )`;

/** SQL: since when (YYYY-MM-DD) an organisation's ingestion is suspended on a day, or null. */
export const suspendedSince = (organisationId: string, day: string) => `(
  select max(since) from suspensions
  where suspensions.organisation_id = ${organisationId} and ended_at is null and ends_on > ${day})`;

/** SQL: whether a suspension of an organisation has ended by a day without being recorded as ended. */
export const suspensionLapsed = (organisationId: string, day: string) => `exists (
  select from suspensions
  where suspensions.organisation_id = ${organisationId} and ended_at is null and ends_on <= ${day})`;
