import type pg from "pg";
import { chosenSql, parametersOf, type Resend } from "./resend-deliveries.ts";

type Left = { unsettled: number; states: string[] | null; dueAt: Date | null; disabled: string[] | null };

/**
 * Tells the operator why `resendDeliveries` resent none of `which`: disabled subscribers, or deliveries that are not
 * settled.
 */
export async function whyNoneResent(pool: pg.Pool, which: Resend): Promise<string> {
  const { rows } = await pool.query<Left>(
    `select count(*) filter (where state in ('waiting', 'failed')) as unsettled,
      array_agg(distinct state::text) as states, min(due_at) filter (where state in ('waiting', 'failed')) as "dueAt",
      array_agg(distinct subscriber_id::text) filter (where not subscribers.enabled) as disabled
    from ${chosenSql} and (state <> 'delivered' or $1 is not null)`,
    parametersOf(which),
  );
  const { unsettled = 0, states, dueAt, disabled } = rows[0] ?? {};
  if (disabled) return disabled.map((id) => `The subscriber is disabled: lodged subscribers enable ${id}`).join("\n");
  const at = dueAt?.toISOString() ?? "once";
  if (unsettled === 0) return "No delivery has failed permanently.";
  return "deliveryId" in which
    ? `The delivery is ${states?.[0]}. The next attempt is at ${at}.`
    : `No delivery has failed permanently. Not settled yet: ${unsettled}. The next attempt is at ${at}.`;
}
