import { CompiledQuery } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { recordAuditSql } from "../audit/record-audit.ts";
import { dayOf, limitOf, monthsAfter, numbersOf } from "./month-sql.ts";

const statement = `with lapsed as (
  update suspensions set ended_at = ends_on::timestamp at time zone 'UTC'
  where ended_at is null and ends_on <= ${dayOf("$1::timestamptz")}
    and organisation_id = coalesce($2::uuid, organisation_id)
  returning organisation_id, since, ends_on, ended_at
)
${recordAuditSql(`
  select lapsed.organisation_id, 'ingestion.resumed',
    jsonb_build_object('since', since, 'reason', 'month_within_limit', 'months', jsonb_build_array(
      coalesce(${numbersOf("lapsed.organisation_id", "lapsed.ends_on", -1)}, jsonb_build_object(
        'month', to_char(${monthsAfter("ends_on", -1)}, 'YYYY-MM'), 'installs', 0, 'limit', ${limitOf("organisations")})))),
    ended_at
  from lapsed join organisations on organisations.id = lapsed.organisation_id`)}`;

/**
 * Records, once, suspensions that ended because a month stayed within the limit: those of one organisation, or of all.
 * They ended with the first moment of `ends_on`, which is the time of the entry.
 */
export async function recordLapses(db: Database | Transaction, now: Date, organisationId?: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement, [now, organisationId ?? null]));
}
