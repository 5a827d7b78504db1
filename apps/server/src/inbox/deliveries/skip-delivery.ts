import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { resumeSubscriber } from "../subscribers/enable-subscriber.ts";

/**
 * Skips a delivery of the organisation that is not settled, so that those behind it proceed; its attempts say who did
 * it. One that is under way may still arrive. Throws `delivery_not_found` or `delivery_settled`.
 */
export async function skipDelivery(deps: Deps, { organisationId, name }: Actor, deliveryId: string): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ app_id: string; subscriber_id: string }>`
      select deliveries.app_id, subscriber_id
      from subscribers join deliveries on deliveries.app_id = subscribers.app_id and subscriber_id = subscribers.id
      where subscribers.organisation_id = ${organisationId} and subscribers.deleted_at is null and deliveries.id = ${deliveryId}
      for no key update of subscribers -- before the delivery, as whoever keeps an attempt does`.execute(tx);
    const [found] = rows;
    if (!found) throw new Refusal("delivery_not_found");
    const { rows: skipped } = await sql`with skipped as (
        update deliveries set state = 'dead', settled_at = now(), claimed_by = null, attempt_count = attempt_count + 1
        where app_id = ${found.app_id} and id = ${deliveryId} and state in ('waiting', 'failed')
        returning app_id, id, attempt_count
      )
      insert into delivery_attempts (app_id, delivery_id, number, started_at, duration_ms, reason)
      select app_id, id, attempt_count, ${deps.clock.now()}, 0, ${`Skipped by ${name}.`} from skipped
      returning number`.execute(tx);
    if (skipped.length === 0) throw new Refusal("delivery_settled");
    await resumeSubscriber(tx, found.subscriber_id);
  });
  deps.announceJobs();
}
