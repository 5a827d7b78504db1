import type pg from "pg";
import { Counter, Gauge } from "prom-client";
import { unavailable } from "../../platform/errors.ts";
import type { Pools } from "../../platform/observe/ask-cells.ts";
import { labelOfCell, registry } from "../../platform/observe/metrics.ts";
import { within } from "../../platform/outage.ts";
import { hideSignatures } from "../artifacts/artifact-links.ts";

/** A request for metrics waits at most 300 ms for its numbers. */
const answerMs = 250;
/** The time for which a count may be shown. Counting half a million undelivered events takes 300 ms. */
const countedMsMax = 600_000;

const openDeliveries = new Gauge({
  name: "lodged_deliveries",
  help: "Deliveries by state: waiting for their first attempt, failed and to be retried, or dead (failed permanently).",
  labelNames: ["state", "cell"],
  registers: [registry],
});
const oldestAgeSeconds = new Gauge({
  name: "lodged_deliveries_oldest_waiting_age_seconds",
  help: "Age in seconds of the oldest unsettled delivery, waiting for its first attempt or failed and to be retried; 0 if there is none.",
  labelNames: ["cell"],
  registers: [registry],
});

export const attemptsMade = new Counter({
  name: "lodged_delivery_attempts_total",
  help: "Delivery attempts of this machine's processes since they started, by outcome. lodged deliveries status has the totals.",
  labelNames: ["kind", "outcome"],
  registers: [registry],
});

/**
 * Undelivered deliveries by state, and the age of the oldest that is still to be attempted, failed ones included.
 * Delivered ones are not counted here, since that takes too long.
 */
type OpenDeliveries = { waiting: number; failed: number; dead: number; oldestWaitingAgeSeconds: number };

/** Scans only undelivered deliveries. */
async function countOpenDeliveries(pool: pg.Pool): Promise<OpenDeliveries> {
  const { rows } = await pool.query<OpenDeliveries>(
    `select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'failed') as failed,
      (select count(*) from deliveries where state = 'dead') as dead,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float as "oldestWaitingAgeSeconds"
    from deliveries where state in ('waiting', 'failed')`,
  );
  return rows[0] ?? { waiting: 0, failed: 0, dead: 0, oldestWaitingAgeSeconds: 0 };
}

/**
 * As `countOpenDeliveries`, with the number of delivered ones and the failing subscribers, for operators, who can wait
 * longer.
 */
export async function countDeliveries(pool: pg.Pool) {
  const open = await countOpenDeliveries(pool);
  const { rows: delivered } = await pool.query<{ count: number }>(
    "select count(*) as count from deliveries where state = 'delivered'",
  );
  const { rows: failing } = await pool.query<FailingSubscriber>(failingSubscribersSql);
  const failingSubscribers = failing.map((found) => ({ ...found, lastReason: hideSignatures(found.lastReason) }));
  return { delivered: delivered[0]?.count ?? 0, ...open, failingSubscribers };
}

/** A subscriber whose last attempt failed, or that is disabled, with the names that an operator knows. */
type FailingSubscriber = {
  id: string;
  kind: string;
  url: string | null;
  boardId: string | null;
  appId: string;
  appSlug: string;
  organisationSlug: string;
  enabled: boolean;
  failingSince: Date | null;
  /** The reason of the latest failed attempt. */
  lastReason: string | null;
  disabledReason: string | null;
};

/** Reads only attempted, undelivered deliveries: of a failing subscriber's backlog, few have been attempted. */
const failingSubscribersSql = `
  select subscribers.id, kind, url, board_id as "boardId", app_id as "appId", apps.slug as "appSlug",
    organisations.slug as "organisationSlug", subscribers.enabled, failing_since as "failingSince",
    last.reason as "lastReason", disabled_reason as "disabledReason"
  from subscribers
  join apps on apps.id = app_id
  join organisations on organisations.id = apps.organisation_id
  left join lateral (
    select attempt.reason from deliveries
    cross join lateral (
      select started_at, reason from delivery_attempts
      where delivery_attempts.app_id = deliveries.app_id and delivery_id = deliveries.id and number = attempt_count
      limit 1
    ) attempt
    where deliveries.app_id = subscribers.app_id and subscriber_id = subscribers.id and attempt_count > 0
      and (state in ('waiting', 'failed') or state = 'dead')
    order by attempt.started_at desc
    limit 1
  ) last on true
  where failing_since is not null or not subscribers.enabled
  order by failing_since`;

type Counted = { open: OpenDeliveries; at: number };

const counting = new WeakMap<pg.Pool, Promise<void>>();
const lastCounted = new WeakMap<pg.Pool, Counted>();

/**
 * Counts the deliveries of a database, one count at a time. If that takes longer than the caller can wait, returns the
 * previous counts.
 */
async function findOpenDeliveries(pool: pg.Pool): Promise<OpenDeliveries> {
  const count = async () => {
    const open = await countOpenDeliveries(pool);
    lastCounted.set(pool, { open, at: performance.now() });
  };
  const underWay = counting.get(pool) ?? count().finally(() => counting.delete(pool));
  counting.set(pool, underWay);
  try {
    await within(answerMs, underWay);
  } catch (error) {
    underWay.catch(() => {}); // it may still fail after everybody has stopped waiting
    const last = lastCounted.get(pool);
    if (!last || performance.now() - last.at > countedMsMax) throw error;
  }
  return lastCounted.get(pool)?.open as OpenDeliveries;
}

/**
 * Updates the metrics of each cell, except for cells that do not answer. If counting takes too long, uses the previous
 * counts for up to ten minutes. Returns a function that resets them: the metrics of several processes are added up, but
 * each of these counts covers a whole database.
 */
export async function measureDeliveries(pools: Pools): Promise<() => void> {
  const answers = await Promise.allSettled(
    [...pools].map(async ([cell, pool]) => {
      if (!pool) throw unavailable();
      const { oldestWaitingAgeSeconds, ...counts } = await findOpenDeliveries(pool);
      for (const [state, count] of Object.entries(counts)) openDeliveries.set({ state, ...labelOfCell(cell) }, count);
      oldestAgeSeconds.set(labelOfCell(cell), oldestWaitingAgeSeconds);
    }),
  );
  if (answers.every(({ status }) => status === "rejected")) throw new Error("no database could count its deliveries");
  return () => {
    openDeliveries.reset();
    oldestAgeSeconds.reset();
  };
}
