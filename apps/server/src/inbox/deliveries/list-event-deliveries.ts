import type { EventDeliveries } from "@lodge/contract/dashboard/deliveries";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { nameReceiver } from "../../platform/outbound/name-receiver.ts";
import { type DeliveryRow, deliveryColumns, toDelivery } from "./delivery-rows.ts";

const deliveriesMax = 200;

type Filtered = Pick<DeliveryRow, "subscriber_id" | "kind" | "url" | "board_name"> & { by: string };

async function listFiltered(
  db: Database,
  organisationId: string,
  eventId: string,
): Promise<EventDeliveries["filtered"]> {
  const { rows } = await sql<Filtered>`
    select subscribers.id as subscriber_id, kind, url, boards.name as board_name, left_out ->> 'by' as by
    from apps
    join events on events.app_id = apps.id and events.id = ${eventId}
    cross join json_array_elements(filtered) left_out
    join subscribers on subscribers.app_id = apps.id and subscribers.id = (left_out ->> 'subscriberId')::uuid
      and subscribers.deleted_at is null
    left join boards on boards.organisation_id = apps.organisation_id and boards.id = board_id
    where apps.organisation_id = ${organisationId} and apps.deleted_at is null and not exists (
      select from deliveries where deliveries.app_id = apps.id and deliveries.event_id = events.id
        and deliveries.subscriber_id = subscribers.id and message_number is null)
    order by subscribers.id`.execute(db);
  return rows.map(({ subscriber_id: id, kind, url, board_name, by }) => ({
    subscriber: { id, kind, receiver: nameReceiver(kind, url, board_name) },
    by,
  }));
}

/** The deliveries of an event of the organisation to the subscribers of its app. Throws `event_not_found`. */
export async function listEventDeliveries(
  { db, clock }: Deps,
  { organisationId }: Actor,
  eventId: string,
): Promise<EventDeliveries> {
  const { rows } = await sql<DeliveryRow | { id: null }>`
    select ${deliveryColumns}
    from apps
    join events on events.app_id = apps.id and events.id = ${eventId}
    left join (deliveries
      join subscribers on subscribers.app_id = deliveries.app_id and subscribers.id = subscriber_id and subscribers.deleted_at is null
    ) on deliveries.app_id = apps.id and deliveries.event_id = events.id
    left join boards on boards.organisation_id = apps.organisation_id and boards.id = board_id
    where apps.organisation_id = ${organisationId} and apps.deleted_at is null
    order by deliveries.id limit ${deliveriesMax}`.execute(db);
  if (rows.length === 0) throw new Refusal("event_not_found");
  const now = clock.now();
  return {
    deliveries: rows.flatMap((row) => (row.id === null ? [] : [toDelivery(row, now)])),
    filtered: await listFiltered(db, organisationId, eventId),
  };
}
