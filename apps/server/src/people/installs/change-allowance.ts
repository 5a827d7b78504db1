import { monthlyInstallLimits, type Plan, plans } from "@lodge/contract/plans";
import { CompiledQuery } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { recordAuditSql } from "../audit/record-audit.ts";
import { decideMonth } from "./decide-month.ts";
import { decides, monthOf, spreadInstallsOf } from "./month-sql.ts";
import { recordLapses } from "./record-lapses.ts";

/** The allowance of an organisation: its plan, and its own limit, which overrides the plan's. */
export type Allowance = { plan: string; monthlyInstallLimit: number | null };

const openStatement = `insert into allowance_months (organisation_id, month, install_limit, decides)
  values ($2, ${monthOf("$1::timestamptz")}, $3, ${decides("$2::uuid", monthOf("$1::timestamptz"))})
  on conflict (organisation_id, month) do update set install_limit = excluded.install_limit`;

const forgiveStatement = `with forgiven as (
    update allowance_months set forgiven = forgiven or month < ${monthOf("$1::timestamptz")},
      decides = decides and month < ${monthOf("$1::timestamptz")}
    where organisation_id = $2 and month > ${monthOf("$1::timestamptz")} - interval '3 months'
  ), lifted as (
    update suspensions set ended_at = $1 where organisation_id = $2 and ended_at is null
    returning organisation_id, since
  )
  ${recordAuditSql(`
    select organisation_id, 'ingestion.resumed',
      jsonb_build_object('since', since, 'reason', 'upgrade', 'limit', $3::integer), $1::timestamptz
    from lifted`)}`;

const recordStatement = recordAuditSql(`
  select organisation_id, 'allowance.changed', jsonb_build_object('from', $3::jsonb, 'to', $4::jsonb,
      'month', to_char(month, 'YYYY-MM'), 'installs', installs + ${spreadInstallsOf("allowance_months")}) || $5::jsonb,
    $1::timestamptz
  from allowance_months where organisation_id = $2 and month = ${monthOf("$1::timestamptz")}`);

/**
 * Applies a new plan or limit to this month, in the transaction that changes it in `organisations`. An upgrade (a
 * larger plan, or a higher limit) ends a suspension immediately, and the months before it no longer count as over; a
 * lower limit can put the organisation over it, and suspend it, immediately. `who` is the member who made the change,
 * if any.
 */
export async function changeAllowance(
  tx: Transaction,
  now: Date,
  organisationId: string,
  before: Allowance,
  after: Allowance,
  who?: { userId: string; name: string },
): Promise<void> {
  const from = { plan: before.plan, limit: limitOf(before) };
  const to = { plan: after.plan, limit: limitOf(after) };
  if (from.plan === to.plan && from.limit === to.limit) return;
  const run = (text: string, ...values: unknown[]) =>
    tx.executeQuery(CompiledQuery.raw(text, [now, organisationId, ...values]));

  await recordLapses(tx, now, organisationId);
  await run(openStatement, to.limit);
  const actor = who ? { userId: who.userId, userName: who.name } : {};
  await run(recordStatement, JSON.stringify(from), JSON.stringify(to), JSON.stringify(actor));
  if (rankOf(to.plan) > rankOf(from.plan) || to.limit > from.limit) await run(forgiveStatement, to.limit);
  else await decideMonth(tx, now, organisationId);
}

/**
 * The allowance after a change of its plan, its own limit, or both. A larger plan that allows more than the
 * organisation's own limit clears that limit, unless the change sets one.
 */
export function allowanceAfter(
  before: Allowance,
  {
    plan = before.plan,
    monthlyInstallLimit,
  }: { plan?: string | undefined; monthlyInstallLimit?: number | null | undefined },
): Allowance {
  const kept = before.monthlyInstallLimit;
  const outgrown =
    kept !== null && rankOf(plan) > rankOf(before.plan) && kept < limitOf({ plan, monthlyInstallLimit: null });
  return {
    plan,
    monthlyInstallLimit: monthlyInstallLimit === undefined ? (outgrown ? null : kept) : monthlyInstallLimit,
  };
}

/** The number of installs that an organisation may have active in a month. */
export const limitOf = ({ plan, monthlyInstallLimit }: Allowance): number =>
  monthlyInstallLimit ?? monthlyInstallLimits[plan as Plan];

const rankOf = (plan: string) => plans.indexOf(plan as Plan);
