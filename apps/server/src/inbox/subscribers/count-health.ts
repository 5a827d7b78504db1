import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";

const flushMs = 2_000;
const hourMs = 3_600_000;

type Counted = {
  appId: string;
  subscriberId: string;
  hour: string;
  deliveredCount: number;
  failedCount: number;
  totalMs: number;
};

/** Counts the attempts of subscribers by hour. */
export type HealthCounter = {
  count: (attempt: { appId: string; subscriberId: string; startedAt: Date; ms: number; isDelivered: boolean }) => void;
  /** Writes the remaining counts, and stops counting. */
  stop: () => Promise<void>;
};

const addCounts = preparedStatement({
  name: "add_subscriber_hours",
  parameters: { counts: "json" },
  row: {},
  text: ({ counts }) => `insert into subscriber_hours as hours
    (app_id, subscriber_id, hour, delivered_count, failed_count, total_ms)
  select counted.app_id, counted.subscriber_id, counted.hour, counted.delivered_count, counted.failed_count, counted.total_ms
  from json_to_recordset(${counts}) counted (app_id uuid, subscriber_id uuid, hour timestamptz,
    delivered_count integer, failed_count integer, total_ms bigint)
  join subscribers on subscribers.app_id = counted.app_id and subscribers.id = counted.subscriber_id
  order by 1, 2, 3
  on conflict (app_id, subscriber_id, hour) do update set
    delivered_count = hours.delivered_count + excluded.delivered_count,
    failed_count = hours.failed_count + excluded.failed_count,
    total_ms = hours.total_ms + excluded.total_ms`,
});

/** Counts in memory and writes every two seconds, because otherwise all attempts at a subscriber would lock one row. */
export function openHealthCounter({ pool, log }: Pick<Deps, "pool" | "log">): HealthCounter {
  let counted = new Map<string, Counted>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushing: Promise<void> | undefined;

  const flush = async () => {
    timer = undefined;
    const taken = counted;
    counted = new Map();
    const counts = [...taken.values()].map((each) => ({
      app_id: each.appId,
      subscriber_id: each.subscriberId,
      hour: each.hour,
      delivered_count: each.deliveredCount,
      failed_count: each.failedCount,
      total_ms: Math.round(each.totalMs),
    }));
    try {
      if (counts.length > 0) await addCounts(pool, { counts: JSON.stringify(counts) });
    } catch (error) {
      log.warn({ err: error }, "attempts could not be counted");
    }
  };

  return {
    count: ({ appId, subscriberId, startedAt, ms, isDelivered }) => {
      const hour = new Date(Math.floor(startedAt.getTime() / hourMs) * hourMs).toISOString();
      const key = `${subscriberId} ${hour}`;
      const each = counted.get(key) ?? { appId, subscriberId, hour, deliveredCount: 0, failedCount: 0, totalMs: 0 };
      counted.set(key, each);
      if (isDelivered) each.deliveredCount++;
      else each.failedCount++;
      each.totalMs += ms;
      timer ??= setTimeout(() => {
        flushing = flush();
      }, flushMs);
    },
    stop: async () => {
      clearTimeout(timer);
      await flushing;
      await flush();
    },
  };
}
