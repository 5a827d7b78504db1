/** The statement that resets the failures of a subscriber. `delivery` names a CTE with its app_id and subscriber_id. */
export const recoverSubscriberSql = (delivery: string) => `
    update subscribers set failing_since = null, consecutive_failures = 0, pauses = 0, paused_until = null
    from ${delivery}
    where subscribers.app_id = ${delivery}.app_id and subscribers.id = ${delivery}.subscriber_id
      and consecutive_failures > 0 and enabled`;

/**
 * The statement that counts a failure of a subscriber. It pauses the subscriber if its row of `failed` has `pausing`,
 * and disables it if `disabling` gives a reason. The times are SQL expressions. Each pause in a row is twice as long as
 * the one before, and at least as long as the receiver asked for.
 */
export const failSubscriberSql = (
  failed: string,
  {
    failedAt,
    pauseMs,
    pauseMsMax,
    retryAfterMs,
  }: { failedAt: string; pauseMs: string; pauseMsMax: string; retryAfterMs: string },
) => `
    update subscribers set
      consecutive_failures = subscribers.consecutive_failures + 1,
      failing_since = coalesce(subscribers.failing_since, ${failedAt}),
      enabled = subscribers.enabled and disabling is null,
      disabled_at = case when disabling is null then subscribers.disabled_at else ${failedAt} end,
      disabled_reason = coalesce(disabling, subscribers.disabled_reason),
      pauses = case when pausing then subscribers.pauses + 1 else subscribers.pauses end,
      paused_until = greatest(subscribers.paused_until, now() + ${retryAfterMs} * interval '1 ms', now() + case when pausing
        then least(${pauseMs}::bigint << least(subscribers.pauses, 20), ${pauseMsMax}::bigint) end * interval '1 ms')
    from ${failed}
    where subscribers.app_id = ${failed}.app_id and subscribers.id = ${failed}.id
    returning subscribers.app_id, subscribers.id, subscribers.url, subscribers.board_id, subscribers.ordered, pausing,
      subscribers.paused_until, disabling`;
