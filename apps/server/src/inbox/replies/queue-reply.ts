import { CompiledQuery } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { insertDeliveriesSql } from "../deliveries/insert-deliveries.ts";
import { enabledSubscribersSql, wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";

const statement = `with reply as (
    select $1::uuid as app_id, $2::uuid as id
  ), subscribed as (${enabledSubscribersSql("$1")} and kind <> 'board'
    and not exists (select from events cross join json_array_elements(filtered) left_out
      where events.app_id = $1 and events.id = $2 and left_out ->> 'subscriberId' = subscribers.id::text)
  ), delivery as (${insertDeliveriesSql("reply", "subscribed", "$3::integer")}
  ), job as (${wakeSubscribersSql("select app_id, json_agg(subscriber_id), now() from delivery group by app_id")}
  )
  select count(*) as count from delivery`;

/**
 * Queues `reply.received` for the enabled subscribers of an app whose filters matched the report, in the transaction
 * that posts the message. Boards get none, since they already have a card. Returns the number of deliveries.
 */
export async function queueReply(
  tx: Transaction,
  thread: { app_id: string; event_id: string },
  messageNumber: number,
): Promise<number> {
  const values = [thread.app_id, thread.event_id, messageNumber];
  const { rows } = await tx.executeQuery<{ count: number }>(CompiledQuery.raw(statement, values));
  return rows[0]?.count ?? 0;
}
