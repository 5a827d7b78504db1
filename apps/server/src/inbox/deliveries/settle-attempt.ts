import { recordHappeningsSql } from "../../people/notifications/record-happenings.ts";
import { batchedStatement } from "../../platform/database/batched-statement.ts";
import { inCamelCase, preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { nameReceiver } from "../../platform/outbound/name-receiver.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import { failSubscriberSql, recoverSubscriberSql } from "../subscribers/record-health.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";
import { failuresBeforePause, type TakenDelivery } from "./take-deliveries.ts";

/** A subscriber whose attempts have all failed for this long is disabled (contract section 4). */
const daysUntilDisabled = 5;
/** The maximum pause; the longest wait of the retry schedule bounds it too. */
const pauseMsMax = 300_000;

const attemptColumns = "app_id, delivery_id, number, started_at, duration_ms, status, response, reason";

/**
 * Successes that arrive together are stored together, so that few statements drain a backlog. Rows are found one by one
 * and updated by ctid, because the planner would read the whole table for a join.
 */
const settleSuccesses = batchedStatement({
  name: "settle_successful_attempts",
  columns: {
    app_id: "uuid",
    delivery_id: "uuid",
    worker_id: "text",
    started_at: "timestamptz",
    duration_ms: "integer",
    status: "integer?",
    response: "text?",
  },
  row: {},
  text: (request) => `with request as materialized (
    select * from ${request}
  ), found as materialized (
    select held.place from request cross join lateral (
      select ctid as place from deliveries
      where deliveries.app_id = request.app_id and deliveries.id = request.delivery_id and claimed_by = request.worker_id
      offset 0
    ) held
  ), delivery as (
    update deliveries set state = 'delivered', settled_at = now(), claimed_by = null, attempt_count = attempt_count + 1
    where ctid = any (array(select place from found)) and claimed_by = any (array(select worker_id from request))
    returning app_id, id, subscriber_id, attempt_count
  ), recovering as materialized (
    select app_id, id as subscriber_id from subscribers
    where consecutive_failures > 0 and (app_id, id) in (select app_id, subscriber_id from delivery)
    order by app_id, id for no key update -- in one order, so that no two runs wait for each other
  ), recovered as (${recoverSubscriberSql("recovering")}
  ), attempt as (
    insert into delivery_attempts (${attemptColumns})
    select delivery.app_id, id, attempt_count, started_at, duration_ms, status, response, null
    from delivery join request on request.app_id = delivery.app_id and request.delivery_id = delivery.id
  )
  select null::integer as n where false`,
});

/** The name of the subscriber for people: only its host, since the path of a chat's webhook is a secret. */
const receiverSql = "coalesce(substring(changed.url from '^(?:https?://|mailto:)([^/?#]+)'), 'board')";

/**
 * A null delay means that the schedule is used up. The subscriber's new state depends on its old one. With ordered
 * delivery the whole subscriber waits and the delivery keeps its place: it is retried until it is delivered or skipped,
 * or the subscriber is disabled.
 */
const settleFailure = preparedStatement({
  name: "settle_failed_attempt",
  parameters: {
    appId: "uuid",
    deliveryId: "uuid",
    workerId: "text",
    startedAt: "timestamptz",
    durationMs: "integer",
    status: "integer?",
    response: "text?",
    reason: "text",
    delayMs: "integer?",
    longestDelayMs: "integer",
    isGone: "boolean",
    failedAt: "timestamptz",
    pauseMs: "integer?",
    pauseMsMax: "integer",
    retryAfterMs: "integer?",
  },
  row: { disabled_reason: "text?", subscriber_id: "uuid", url: "text?", board_id: "uuid?" },
  text: ({
    appId,
    deliveryId,
    workerId,
    failedAt,
    delayMs,
    longestDelayMs,
    retryAfterMs,
    ...attempt
  }) => `with subscriber as materialized (
    select subscribers.*,
      case when not enabled then null
        when ${attempt.isGone} then 'It answered 410 Gone.'
        when failing_since at time zone 'UTC' <= (${failedAt} at time zone 'UTC') - interval '${daysUntilDisabled} days'
          then 'It has failed for ${daysUntilDisabled} days.' end as disabling,
      consecutive_failures + 1 >= ${failuresBeforePause} and (paused_until is null or paused_until <= now()) as pausing
    from deliveries join subscribers
      on subscribers.app_id = deliveries.app_id and subscribers.id = deliveries.subscriber_id
    where deliveries.app_id = ${appId} and deliveries.id = ${deliveryId} and claimed_by = ${workerId}
    for no key update of subscribers
  ), delivery as (
    update deliveries set claimed_by = null, attempt_count = attempt_count + 1, retry_count = retry_count + 1,
      state = case when over then 'dead' else 'failed' end, settled_at = case when over then at end,
      due_at = case when ordered then due_at else again_at end
    from (select ordered, (${delayMs} is null and not ordered) or disabling is not null or not enabled as over,
        now() as at, now() + greatest(${delayMs}, ${retryAfterMs}, 0) * interval '1 ms' as again_at
      from subscriber) verdict
    where app_id = ${appId} and id = ${deliveryId} and claimed_by = ${workerId} -- unless it was skipped meanwhile
    returning app_id, id, subscriber_id, attempt_count, state, due_at
  ), failed as materialized (
    select subscriber.* from subscriber join delivery on delivery.subscriber_id = subscriber.id
  ), attempt as (
    insert into delivery_attempts (${attemptColumns})
    select app_id, id, attempt_count, ${attempt.startedAt}, ${attempt.durationMs}, ${attempt.status}, ${attempt.response},
      ${attempt.reason} from delivery
  ), changed as (${failSubscriberSql("failed", {
    ...attempt,
    failedAt,
    retryAfterMs: `greatest(${retryAfterMs}, case when failed.ordered then coalesce(${delayMs}, ${longestDelayMs}) end)`,
  })}
  ), happened as (${recordHappeningsSql(`
    select apps.organisation_id, 'subscriber.disabled', changed.id || ' ' || ${failedAt},
      jsonb_build_object('appId', apps.id, 'app', apps.name, 'subscriberId', changed.id, 'receiver', ${receiverSql},
        'reason', disabling), ${failedAt}
    from changed join apps on apps.id = changed.app_id where disabling is not null
    union all
    select apps.organisation_id, 'delivery.dead', changed.id || ' ' || date_trunc('day', ${failedAt}, 'UTC'),
      jsonb_build_object('appId', apps.id, 'app', apps.name, 'subscriberId', changed.id, 'receiver', ${receiverSql},
        'deliveryId', delivery.id, 'reason', ${attempt.reason}), ${failedAt}
    from changed join delivery on delivery.subscriber_id = changed.id join apps on apps.id = changed.app_id
    where delivery.state = 'dead' and disabling is null`)}
  ), job as (${wakeSubscribersSql(`
    select app_id, json_build_array(subscriber_id), due_at from delivery where state = 'failed'
    union all select app_id, json_build_array(id), paused_until from changed where pausing or ordered or ${retryAfterMs} > 0
    union all select app_id, json_build_array(id), now() from changed where disabling is not null`)}
  )
  select disabling as disabled_reason, id as subscriber_id, url, board_id from changed`,
});

/**
 * Stores an attempt and its consequences: the delivery is delivered, due again by the retry schedule, or dead; its
 * subscriber recovers, is paused, or is disabled. Does nothing if another worker has claimed the delivery since.
 */
export async function settleAttempt(
  { pool, config, clock, log }: Deps,
  workerId: string,
  delivery: TakenDelivery,
  startedAt: Date,
  durationMs: number,
  { status, response, reason, isGone = false, retryAfterMs = null }: Outcome,
): Promise<void> {
  const { appId } = delivery;
  if (reason === null) {
    await settleSuccesses.together(pool, {
      app_id: appId,
      delivery_id: delivery.id,
      worker_id: workerId,
      started_at: startedAt,
      duration_ms: Math.round(durationMs),
      status,
      response: response?.toWellFormed() ?? null,
    });
    return;
  }
  const delays = config.webhookRetryDelaysMs;
  const delayMs = delays[delivery.retryCount];
  const [settled] = await settleFailure(pool, {
    appId,
    deliveryId: delivery.id,
    workerId,
    startedAt,
    durationMs: Math.round(durationMs),
    status,
    response,
    reason,
    delayMs: delayMs === undefined ? null : withJitter(delayMs),
    longestDelayMs: Math.max(...delays),
    isGone,
    failedAt: clock.now(),
    pauseMs: delays[0],
    pauseMsMax: Math.min(pauseMsMax, Math.max(...delays)),
    retryAfterMs,
  });
  if (settled?.disabled_reason) {
    const { subscriberId, url, boardId, disabledReason } = inCamelCase(settled);
    const { kind } = delivery;
    const receiver = url === null ? { boardId } : { url: nameReceiver(kind, url, null) };
    log.warn({ appId, subscriberId, kind, ...receiver, reason: disabledReason }, "a subscriber was disabled");
  }
}

/** Adds up to a tenth to a delay, so that deliveries that failed together are not retried together. */
const withJitter = (delayMs: number) => Math.round(delayMs * (1 + Math.random() / 10));
