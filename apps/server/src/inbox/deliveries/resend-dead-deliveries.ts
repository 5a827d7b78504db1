import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readSubscriber } from "../subscribers/list-subscribers.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";

const batchMax = 5_000;

/**
 * Resends the dead deliveries of a subscriber of the organisation, at most the oldest 5,000. Throws
 * `subscriber_not_found` or `subscriber_disabled`.
 */
export async function resendDeadDeliveries(
  deps: Deps,
  { organisationId }: Actor,
  subscriberId: string,
): Promise<{ resentCount: number; more: boolean }> {
  const { db, announceJobs } = deps;
  const { app, enabled } = await readSubscriber(deps, db, organisationId, subscriberId);
  if (!enabled) throw new Refusal("subscriber_disabled");
  const { rows } = await sql<{ count: number }>`with chosen as materialized (
      select id from deliveries
      where app_id = ${app.id} and subscriber_id = ${subscriberId} and state = 'dead'
      order by id limit ${batchMax}
      for update
    ), again as (
      update deliveries set state = 'waiting', settled_at = null, due_at = now(), retry_count = 0
      from chosen where deliveries.app_id = ${app.id} and deliveries.id = chosen.id
      returning deliveries.app_id, subscriber_id
    ), job as (${sql.raw(wakeSubscribersSql("select app_id, json_agg(distinct subscriber_id), now() from again group by app_id"))}
    )
    select count(*)::integer as count from again`.execute(db);
  announceJobs();
  const resentCount = rows[0]?.count ?? 0;
  return { resentCount, more: resentCount === batchMax };
}
