import { sql } from "kysely";
import { recordHookHealth } from "../../people/notifications/record-hook-health.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import type { TakenHookDelivery } from "./take-hook-deliveries.ts";

/**
 * Records an attempt and its consequences: the delivery is delivered, due again by the retry schedule, or dead; its
 * webhook recovers, is paused, or is disabled. Does nothing if another worker has claimed the delivery.
 */
export async function settleHookAttempt(
  { db, clock, config, log }: Deps,
  workerId: string,
  { id, organisationId, retryCount, hook }: TakenHookDelivery,
  startedAt: Date,
  durationMs: number,
  { status, response, reason, isGone = false, retryAfterMs }: Outcome,
): Promise<void> {
  const delays = config.webhookRetryDelaysMs;
  const delayMs = delays[retryCount];
  const isDead = reason !== null && delayMs === undefined;
  const state = reason === null ? "delivered" : isDead ? "dead" : "failed";
  // Adds up to a tenth to the scheduled delay, so that deliveries that failed together are not retried together.
  const waitMs = Math.max(Math.round((delayMs ?? 0) * (1 + Math.random() / 10)), retryAfterMs ?? 0);
  const isEnabled = await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ number: number }>`
      update hook_deliveries set state = ${state}, claimed_by = null, attempt_count = attempt_count + 1,
        retry_count = retry_count + ${state === "failed" ? 1 : 0},
        settled_at = case when ${state} <> 'failed' then now() end,
        due_at = case when ${state} = 'failed' then now() + ${waitMs} * interval '1 ms' else due_at end
      where organisation_id = ${organisationId} and id = ${id} and claimed_by = ${workerId}
      returning attempt_count as number`.execute(tx);
    const [attempt] = rows;
    if (!attempt) return true;
    await tx
      .insertInto("hook_attempts")
      .values({
        organisation_id: organisationId,
        delivery_id: id,
        number: attempt.number,
        started_at: startedAt,
        duration_ms: Math.round(durationMs),
        status,
        response: response?.toWellFormed().replaceAll("\0", "") ?? null,
        reason,
      })
      .execute();
    const health = { organisationId, hookId: hook.id, at: clock.now(), reason, isGone };
    return recordHookHealth(tx, { ...health, pauseMs: Math.max(delays[0] ?? 0, retryAfterMs ?? 0) });
  });
  if (!isEnabled) log.warn({ organisationId, hookId: hook.id, reason }, "a webhook of an organisation is disabled");
}
