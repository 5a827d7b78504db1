import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";

/** After this many failures in a row a webhook is paused, and then tried with one delivery at a time. */
export const hookFailuresBeforePause = 5;
const daysUntilDisabled = 5;
const pauseMsMax = 300_000;

/** The result of an attempt for a webhook of an organisation. */
type Health = {
  organisationId: string;
  hookId: string;
  at: Date;
  reason: string | null;
  isGone: boolean;
  /** How long to pause it. */
  pauseMs: number;
};

/**
 * Records an attempt's effect on a webhook: it recovers, is paused after 5 failures in a row or on request, or is
 * disabled after 5 days of failures or a 410. Returns whether it is enabled.
 */
export async function recordHookHealth(tx: Transaction, health: Health): Promise<boolean> {
  const { organisationId, hookId, at, reason, isGone, pauseMs } = health;
  const pause = sql`${at}::timestamptz + ${Math.min(pauseMs, pauseMsMax)} * interval '1 ms'`;
  const disabling = sql`case when ${isGone} then 'It answered 410 Gone.'
    when failing_since at time zone 'UTC' <= (${at}::timestamptz at time zone 'UTC') - interval '${sql.raw(`${daysUntilDisabled}`)} days'
      then 'It has failed for ${sql.raw(`${daysUntilDisabled}`)} days.' end`;
  const { rows } = await (reason === null
    ? sql<{ enabled: boolean; isDisabledNow: boolean }>`
        update organisation_hooks set last_sent_at = ${at}, last_failure = null, consecutive_failures = 0,
          failing_since = null, paused_until = null
        where organisation_id = ${organisationId} and id = ${hookId}
        returning enabled, false as "isDisabledNow"`
    : sql<{ enabled: boolean; isDisabledNow: boolean }>`
        update organisation_hooks set last_sent_at = ${at}, last_failure = ${reason},
          consecutive_failures = consecutive_failures + 1, failing_since = coalesce(failing_since, ${at}),
          paused_until = case when consecutive_failures + 1 >= ${hookFailuresBeforePause} then ${pause} end,
          disabled_reason = case when enabled then ${disabling} else disabled_reason end,
          disabled_at = case when enabled and ${disabling} is not null then ${at} else disabled_at end,
          enabled = enabled and ${disabling} is null
        where organisation_id = ${organisationId} and id = ${hookId}
        returning enabled, old.enabled and not new.enabled as "isDisabledNow"`
  ).execute(tx);
  const [hook] = rows;
  if (hook?.isDisabledNow) await publish(tx, organisationId, { kind: "hooks.changed" });
  return hook?.enabled ?? false;
}
