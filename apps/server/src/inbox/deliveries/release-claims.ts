import { CompiledQuery, type Transaction } from "kysely";
import type pg from "pg";
import type { DB } from "../../platform/database/database.generated.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";

/**
 * A worker that had claimed a delivery may no longer have its job: once its job runner has failed and is started anew,
 * the job runs again, finds the lane at work, and is done. So what is given back has a job of its own.
 */
const releaseSql = (which: string) => `
  with released as (
    update deliveries set claimed_by = null where ${which} returning app_id, subscriber_id
  ), job as (${wakeSubscribersSql(
    "select app_id, json_agg(distinct subscriber_id), now() from released group by app_id",
  )})
  select`;

/** Gives back the deliveries that dead workers had taken, and wakes their subscribers. */
export async function releaseClaims(client: pg.ClientBase, workerIds: string[]): Promise<void> {
  await client.query(releaseSql("state in ('waiting', 'failed') and claimed_by = any($1)"), [workerIds]);
}

/** Gives back the deliveries of apps that came from another cell, whose workers do not run here, and wakes their subscribers. */
export async function releaseClaimsOfApps(tx: Transaction<DB>, appIds: string[]): Promise<void> {
  const ofApps = releaseSql("app_id = any($1::uuid[]) and claimed_by is not null");
  await tx.executeQuery(CompiledQuery.raw(ofApps, [appIds]));
}
