import { sql } from "kysely";
import type { Receiver } from "../../inbox/deliveries/run-lanes.ts";
import type { SealedHook } from "../../people/notifications/open-hook.ts";
import { hookFailuresBeforePause } from "../../people/notifications/record-hook-health.ts";
import type { Deps } from "../../platform/deps.ts";

/** A delivery that this worker has claimed, with its webhook. */
export type TakenHookDelivery = {
  id: string;
  organisationId: string;
  body: string;
  retryCount: number;
  /** Whether this is the webhook's only delivery for now, because it has failed often. */
  isProbe: boolean;
  hook: SealedHook;
};

type Row = SealedHook & { delivery_id: string; body: string; retry_count: number; is_probe: boolean };

/** Claims at most `count` due deliveries of an enabled webhook for a worker, the oldest first. */
export async function takeHookDeliveries(
  { db }: Deps,
  workerId: string,
  { ownerId: organisationId, id: hookId }: Receiver,
  underWay: string[],
  count: number,
): Promise<TakenHookDelivery[]> {
  const { rows } = await sql<Row>`
    with hook as materialized (
      select *, consecutive_failures >= ${hookFailuresBeforePause} as is_probe from organisation_hooks
      where organisation_id = ${organisationId} and id = ${hookId} and enabled
        and (paused_until is null or paused_until <= now())
    ), due as materialized (
      select d.organisation_id, d.id from hook_deliveries d join hook on hook.organisation_id = d.organisation_id
        and hook.id = d.hook_id
      where d.state in ('waiting', 'failed') and d.due_at <= now() and d.id <> all(${underWay}::uuid[])
        and (d.claimed_by is null or d.claimed_by = ${workerId})
      order by d.due_at, d.id
      limit (select greatest(0, case when is_probe then 1 - cardinality(${underWay}::uuid[]) else ${count}::integer end) from hook)
      for update of d skip locked
    ), taken as (
      update hook_deliveries set claimed_by = ${workerId} from due
      where hook_deliveries.organisation_id = due.organisation_id and hook_deliveries.id = due.id
      returning hook_deliveries.id as delivery_id, body, retry_count, due_at
    )
    select taken.*, hook.* from taken cross join hook order by taken.due_at, taken.delivery_id`.execute(db);
  return rows.map(({ delivery_id, body, retry_count, is_probe, ...hook }) => ({
    id: delivery_id,
    organisationId,
    body,
    retryCount: retry_count,
    isProbe: is_probe,
    hook,
  }));
}
