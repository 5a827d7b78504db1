import type pg from "pg";
import type { Resend } from "./resend-deliveries.ts";

type Left = { unsettled: number; states: string[] | null; dueAt: Date | null; disabled: string[] | null };

/** Why `resendDeliveries` has sent nothing of `which`, for the operator: disabled subscribers, and what is not settled. */
export async function whyNoneResent(pool: pg.Pool, which: Resend): Promise<string> {
  const one = "deliveryId" in which;
  const { rows } = await pool.query<Left>(
    `select count(*) filter (where state in ('waiting', 'failed')) as unsettled,
      array_agg(distinct state::text) as states, min(due_at) filter (where state in ('waiting', 'failed')) as "dueAt",
      array_agg(distinct subscriber_id::text) filter (where not subscribers.enabled) as disabled
    from deliveries
    join subscribers on subscribers.app_id = deliveries.app_id and subscribers.id = subscriber_id
    join events on events.app_id = deliveries.app_id and events.id = event_id
    where ($1::uuid is null or deliveries.id = $1) and ($1 is not null or state <> 'delivered')
      and ($2::uuid is null or subscriber_id = $2)
      and ($3::timestamptz is null or received_at >= $3) and ($4::timestamptz is null or received_at < $4)`,
    one ? [which.deliveryId, null, null, null] : [null, which.subscriberId, which.from, which.to],
  );
  const { unsettled = 0, states, dueAt, disabled } = rows[0] ?? {};
  if (disabled) return disabled.map((id) => `The subscriber is disabled: lodged subscribers enable ${id}`).join("\n");
  const at = dueAt?.toISOString() ?? "once";
  if (unsettled === 0) return "None is dead.";
  return one
    ? `It is ${states?.[0]}, and will be tried again at ${at}.`
    : `None is dead: ${unsettled} will be tried again, the next at ${at}.`;
}
