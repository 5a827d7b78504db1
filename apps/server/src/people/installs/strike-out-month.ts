import type { StrikeOut, Usage } from "@lodge/contract/dashboard/usage";
import { CompiledQuery, sql } from "kysely";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit, recordAuditSql } from "../audit/record-audit.ts";
import { dayOf, monthOf, monthsAfter, spreadInstallsOf } from "./month-sql.ts";
import { recordLapses } from "./record-lapses.ts";
import { readUsage } from "./show-usage.ts";

const today = dayOf("$1::timestamptz");
const thisMonth = monthOf("$1::timestamptz");

// A month no longer decides if it is struck out itself, or one of the two before it.
const undecideStatement = `update allowance_months set decides = false, crossed_on = null
  where organisation_id = $2 and month = ${thisMonth}
    and $3::date between ${monthsAfter(thisMonth, -2)} and ${thisMonth}`;

// A suspension depends on the last month that crossed the limit, two before its end, and on the two before that. If the
// last one only prolonged it, it goes back to its earlier end.
const liftStatement = `with held as (
    select organisation_id, since, ends_on,
      $3::date = ${monthsAfter("ends_on", -2)} and since < $3::date as prolonged
    from suspensions where organisation_id = $2 and ended_at is null and ends_on > ${today}
      and $3::date between ${monthsAfter("ends_on", -4)} and ${monthsAfter("ends_on", -2)}
  ), changed as (
    update suspensions set
      ends_on = case when prolonged then ${monthsAfter("held.ends_on", -1)} else held.ends_on end,
      ended_at = case when prolonged and ${monthsAfter("held.ends_on", -1)} > ${today} then null else $1 end
    from held where suspensions.organisation_id = held.organisation_id and suspensions.since = held.since
    returning suspensions.organisation_id, suspensions.since, suspensions.ended_at
  )
  ${recordAuditSql(`
    select organisation_id, 'ingestion.resumed',
      jsonb_build_object('since', since, 'reason', 'month_struck_out', 'month', to_char($3::date, 'YYYY-MM')), $1::timestamptz
    from changed where ended_at is not null`)}`;

/**
 * Excludes a month that exceeded its limit, as if it had stayed within it. A suspension that depends on it ends
 * immediately. Throws `month_not_over`.
 */
export function strikeOutMonth({ db, clock }: Deps, actor: Actor, { month, note }: StrikeOut): Promise<Usage> {
  const { organisationId } = actor;
  const first = `${month}-01`;
  return db.transaction().execute(async (tx) => {
    const now = clock.now();
    await recordLapses(tx, now, organisationId);
    const { rows } = await sql<{ installs: number; install_limit: number }>`
      update allowance_months set forgiven = true, struck_out_at = ${now}
      where organisation_id = ${organisationId} and month = ${first}::date and not forgiven
        and installs + ${sql.raw(spreadInstallsOf("allowance_months"))} > install_limit
      returning installs + ${sql.raw(spreadInstallsOf("allowance_months"))} as installs, install_limit`.execute(tx);
    const [struck] = rows;
    if (!struck) throw new Refusal("month_not_over");
    const details = { month, installs: struck.installs, limit: struck.install_limit, note };
    await recordAudit(tx, actor, now, "month.struck_out", details);
    const values = [now, organisationId, first];
    await tx.executeQuery(CompiledQuery.raw(undecideStatement, values));
    await tx.executeQuery(CompiledQuery.raw(liftStatement, values));
    await publish(tx, organisationId, { kind: "allowance.changed" });
    return readUsage(tx, organisationId, now);
  });
}
