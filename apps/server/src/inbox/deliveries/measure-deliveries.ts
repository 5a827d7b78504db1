import type pg from "pg";
import { Counter, Gauge } from "prom-client";
import { unavailable } from "../../platform/errors.ts";
import type { Pools } from "../../platform/observe/ask-cells.ts";
import { labelOfCell, registry } from "../../platform/observe/metrics.ts";
import { within } from "../../platform/outage.ts";
import { hideSignatures } from "../artifacts/artifact-links.ts";

/** A request for metrics waits at most 300 ms. */
const answerMs = 250;
/** Half a million that wait are counted in 300 ms; such a number is shown for so long. */
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

/** Attempts that this process has made, by the kind of the subscriber and by what came of them. */
export const attemptsMade = new Counter({
  name: "lodged_delivery_attempts_total",
  help: "Delivery attempts of this machine's processes since they started, by outcome. lodged deliveries status has the totals.",
  labelNames: ["kind", "outcome"],
  registers: [registry],
});

/**
 * Deliveries by state, and the age of the oldest that was accepted and has not reached its subscriber yet: one that failed
 * and will be tried again waits as well. Those that were delivered are never counted over.
 */
type OpenDeliveries = { waiting: number; failed: number; dead: number; oldestWaitingAgeSeconds: number };

/** Counts what is not delivered yet: at the cost of a scan of that alone. */
async function countOpenDeliveries(pool: pg.Pool): Promise<OpenDeliveries> {
  const { rows } = await pool.query<OpenDeliveries>(
    `select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'failed') as failed,
      (select count(*) from deliveries where state = 'dead') as dead,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float as "oldestWaitingAgeSeconds"
    from deliveries where state in ('waiting', 'failed')`,
  );
  return rows[0] ?? { waiting: 0, failed: 0, dead: 0, oldestWaitingAgeSeconds: 0 };
}

/** The same with all that were ever delivered and with who was disabled, for an operator who can wait for the count. */
export async function countDeliveries(pool: pg.Pool) {
  const open = await countOpenDeliveries(pool);
  const { rows: delivered } = await pool.query<{ count: number }>(
    "select count(*) as count from deliveries where state = 'delivered'",
  );
  const { rows: failing } = await pool.query<FailingSubscriber>(failingSubscribersSql);
  const failingSubscribers = failing.map((found) => ({ ...found, lastReason: hideSignatures(found.lastReason) }));
  return { delivered: delivered[0]?.count ?? 0, ...open, failingSubscribers };
}

/** A subscriber whose last attempt failed, or that is disabled, by the names that an operator knows it by. */
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
  /** Why the last attempt that failed did. */
  lastReason: string | null;
  disabledReason: string | null;
};

/** Looks at what is not delivered and was attempted: a failing subscriber is tried with few of all that wait for it. */
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

/** The counts of a database, or its previous ones if counting takes longer than the caller can wait; once at a time. */
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
    underWay.catch(() => {}); // it may still fail when nobody waits for it
    const last = lastCounted.get(pool);
    if (!last || performance.now() - last.at > countedMsMax) throw error;
  }
  return lastCounted.get(pool)?.open as OpenDeliveries;
}

/**
 * Brings the numbers of each cell that `GET /metrics` shows up to date, but for one that does not answer: where there is
 * too much to be counted at once they are those of the count before, for ten minutes. Returns what forgets them again: the
 * numbers of several processes are added up, and these are not of one process.
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
