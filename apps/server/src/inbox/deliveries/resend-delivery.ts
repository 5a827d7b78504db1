import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";

/**
 * Resends a delivery of the organisation, under the same id and with a new retry schedule. A waiting delivery becomes
 * due now; one that is under way is left alone. Throws `delivery_not_found` or `subscriber_disabled`.
 */
export async function resendDelivery(
  { db, announceJobs }: Deps,
  { organisationId }: Actor,
  deliveryId: string,
): Promise<void> {
  const { rows } = await sql<{ enabled: boolean }>`with chosen as materialized (
      select deliveries.app_id, deliveries.id, subscribers.enabled
      from subscribers join deliveries on deliveries.app_id = subscribers.app_id and subscriber_id = subscribers.id
      where subscribers.organisation_id = ${organisationId} and subscribers.deleted_at is null and deliveries.id = ${deliveryId}
      for no key update of deliveries
    ), again as (
      update deliveries set state = 'waiting', settled_at = null, due_at = now(), retry_count = 0
      from chosen
      where deliveries.app_id = chosen.app_id and deliveries.id = chosen.id and enabled
        and (settled_at is not null or claimed_by is null)
      returning deliveries.app_id, subscriber_id
    ), job as (${sql.raw(wakeSubscribersSql("select app_id, json_build_array(subscriber_id), now() from again"))}
    )
    select enabled from chosen`.execute(db);
  const [chosen] = rows;
  if (!chosen) throw new Refusal("delivery_not_found");
  if (!chosen.enabled) throw new Refusal("subscriber_disabled");
  announceJobs();
}
