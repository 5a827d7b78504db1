import type { ResendHookDeliveries } from "@lodge/contract/dashboard/hooks";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { requireHook } from "./list-hook-deliveries.ts";

const resentMax = 10_000;

/**
 * Sends a delivery again, with its id and the full retry schedule. Throws `hook_not_found`, `hook_disabled` or
 * `delivery_not_found`.
 */
export async function resendHookDelivery(deps: Deps, actor: Actor, hookId: string, deliveryId: string): Promise<void> {
  const count = await resend(deps, actor, hookId, sql`id = ${deliveryId}`);
  if (count === 0) throw new Refusal("delivery_not_found");
}

/** Sends the deliveries of a period again, the oldest first. Returns how many. Throws `hook_not_found` or `hook_disabled`. */
export async function resendHookDeliveries(
  deps: Deps,
  actor: Actor,
  hookId: string,
  { state, from, until }: ResendHookDeliveries,
): Promise<{ count: number }> {
  const states = state === "dead" ? ["dead"] : ["dead", "delivered"];
  const isWanted = sql`state = any(${states}::text[]) and created_at >= ${from}::timestamptz
    and (${until ?? null}::timestamptz is null or created_at < ${until ?? null}::timestamptz)`;
  return { count: await resend(deps, actor, hookId, isWanted) };
}

async function resend({ db }: Deps, { organisationId }: Actor, hookId: string, isWanted: RawBuilder<unknown>) {
  const { enabled } = await requireHook(db, organisationId, hookId);
  if (!enabled) throw new Refusal("hook_disabled");
  const { numAffectedRows } = await sql`
    with wanted as materialized (
      select id from hook_deliveries where organisation_id = ${organisationId} and hook_id = ${hookId} and ${isWanted}
      order by id limit ${resentMax})
    update hook_deliveries set state = 'waiting', retry_count = 0, settled_at = null, claimed_by = null, due_at = now()
    where organisation_id = ${organisationId} and id in (select id from wanted)`.execute(db);
  return Number(numAffectedRows ?? 0);
}
