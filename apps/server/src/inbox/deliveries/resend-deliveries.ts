import type pg from "pg";
import { OperatorError } from "../../platform/errors.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";

/**
 * The deliveries to resend: one that is settled, dead or delivered; or all dead ones, optionally of one subscriber and
 * of events received in a time range (`from` inclusive, `to` exclusive).
 */
export type Resend =
  | { deliveryId: string }
  | { subscriberId?: string | undefined; from?: Date | undefined; to?: Date | undefined };

/** The chosen deliveries in any state; its parameters come from `parametersOf`. */
export const chosenSql = `deliveries
  join subscribers on subscribers.app_id = deliveries.app_id and subscribers.id = subscriber_id
  join events on events.app_id = deliveries.app_id and events.id = event_id
  where ($1::uuid is null or deliveries.id = $1) and ($2::uuid is null or subscriber_id = $2)
    and ($3::timestamptz is null or received_at >= $3) and ($4::timestamptz is null or received_at < $4)`;

export const parametersOf = (which: Resend) =>
  "deliveryId" in which ? [which.deliveryId, null, null, null] : [null, which.subscriberId, which.from, which.to];

/**
 * Resends deliveries, each under the same id and with a new retry schedule, except those of disabled subscribers.
 * Returns how many. Throws if the delivery or subscriber does not exist.
 */
export async function resendDeliveries(pool: pg.Pool, which: Resend): Promise<number> {
  const { rows } = await pool.query<{ count: number; isKnown: boolean }>(
    `with chosen as materialized (
      select deliveries.app_id, deliveries.id from ${chosenSql}
        and subscribers.enabled and (state = 'dead' or state = 'delivered' and $1 is not null)
      for update of deliveries
    ), again as (
      update deliveries set state = 'waiting', settled_at = null, due_at = now(), retry_count = 0
      from chosen where deliveries.app_id = chosen.app_id and deliveries.id = chosen.id
      returning deliveries.app_id, subscriber_id
    ), job as (${wakeSubscribersSql(
      "select app_id, json_agg(distinct subscriber_id::text), now() from again group by app_id",
    )}
    )
    select count(*) as count, case
      when $1 is not null then exists (select from deliveries where id = $1)
      when $2 is not null then exists (select from subscribers where id = $2 and deleted_at is null)
      else true end as "isKnown"
    from again`,
    parametersOf(which),
  );
  const [resent] = rows;
  if (!resent?.isKnown) {
    throw new OperatorError(
      "deliveryId" in which
        ? `There is no delivery ${which.deliveryId}.`
        : `There is no subscriber ${which.subscriberId}.`,
    );
  }
  return resent.count;
}
