import type { DeliveryPage, DeliveryQuery } from "@lodge/contract/dashboard/subscribers";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { readSubscriber } from "../subscribers/list-subscribers.ts";
import { type DeliveryRow, deliveryColumns, toDelivery } from "./delivery-rows.ts";

const pageDeliveries = 50;

type Row = DeliveryRow & { event_id: string; title: string | null; received_at: Date };

/** The deliveries to a subscriber of the organisation, newest first. Throws `subscriber_not_found`. */
export async function listSubscriberDeliveries(
  deps: Deps,
  { organisationId }: Actor,
  subscriberId: string,
  { state, cursor }: DeliveryQuery,
): Promise<DeliveryPage> {
  const { app } = await readSubscriber(deps, deps.db, organisationId, subscriberId);
  const { rows } = await sql<Row>`
    select ${deliveryColumns}, deliveries.event_id, event_summaries.title, events.received_at
    from (
      select * from deliveries
      where app_id = ${app.id} and subscriber_id = ${subscriberId} and ${state ? sql`state = ${sql.lit(state)}` : sql`true`}
        and ${cursor ? sql`id < ${cursor}` : sql`true`}
      order by id desc limit ${pageDeliveries + 1}
    ) deliveries
    join subscribers on subscribers.app_id = deliveries.app_id and subscribers.id = subscriber_id
    join events on events.app_id = deliveries.app_id and events.id = deliveries.event_id
    left join event_summaries on event_summaries.app_id = deliveries.app_id and event_summaries.event_id = deliveries.event_id
    left join boards on boards.organisation_id = subscribers.organisation_id and boards.id = board_id
    order by deliveries.id desc`.execute(deps.db);
  const shown = rows.slice(0, pageDeliveries);
  const now = deps.clock.now();
  return {
    deliveries: shown.map((row) => ({
      ...toDelivery(row, now),
      event: { id: row.event_id, title: row.title, receivedAt: row.received_at.toISOString() },
    })),
    nextCursor: rows.length > pageDeliveries ? (shown.at(-1)?.id ?? null) : null,
  };
}
