import { CompiledQuery, type Transaction } from "kysely";
import type pg from "pg";
import type { DB } from "../../platform/database/database.generated.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";

/**
 * Adds a job for what is released, because the dead worker's own job may be finished: when a job runner fails and
 * restarts, the job runs again, finds the lane running, and completes.
 */
const releaseSql = (which: string) => `
  with released as (
    update deliveries set claimed_by = null where ${which} returning app_id, subscriber_id
  ), job as (${wakeSubscribersSql(
    "select app_id, json_agg(distinct subscriber_id), now() from released group by app_id",
  )})
  select`;

/** Releases the deliveries that dead workers had claimed, and wakes their subscribers. */
export async function releaseClaims(client: pg.ClientBase, workerIds: string[]): Promise<void> {
  await client.query(releaseSql("state in ('waiting', 'failed') and claimed_by = any($1)"), [workerIds]);
}

/**
 * Releases the deliveries of apps that came from another cell, whose workers do not run here, and wakes their
 * subscribers.
 */
export async function releaseClaimsOfApps(tx: Transaction<DB>, appIds: string[]): Promise<void> {
  const ofApps = releaseSql("app_id = any($1::uuid[]) and claimed_by is not null");
  await tx.executeQuery(CompiledQuery.raw(ofApps, [appIds]));
}
