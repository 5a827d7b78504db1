import type pg from "pg";
import { Counter, Gauge } from "prom-client";
import { registry } from "../platform/metrics.ts";

const openDeliveries = new Gauge({
  name: "lodged_deliveries",
  help: "Deliveries that are waiting for their first attempt, that failed and will be tried again, and that are dead.",
  labelNames: ["state"],
  registers: [registry],
});
const oldestAgeSeconds = new Gauge({
  name: "lodged_deliveries_oldest_waiting_age_seconds",
  help: "Age of the oldest delivery that is waiting or failed; 0 where there is none.",
  registers: [registry],
});

/** Attempts that this process has made, by the kind of the subscriber and by what came of them. */
export const attemptsMade = new Counter({
  name: "lodged_delivery_attempts_total",
  help: "Attempts at deliveries that this process has made, delivered or failed.",
  labelNames: ["kind", "outcome"],
  registers: [registry],
});

/** Deliveries by state, and the age of the oldest that is open. Those that were delivered are never counted over. */
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
  const { rows: failing } = await pool.query<FailingSubscriber>(
    `select id, app_id as "appId", kind, enabled, failing_since as "failingSince", disabled_reason as "disabledReason"
    from subscribers where failing_since is not null or not enabled order by failing_since`,
  );
  return { delivered: delivered[0]?.count ?? 0, ...open, failingSubscribers: failing };
}

type FailingSubscriber = {
  id: string;
  appId: string;
  kind: string;
  enabled: boolean;
  failingSince: Date | null;
  disabledReason: string | null;
};

/**
 * Brings the numbers that `GET /metrics` shows up to date. Returns what forgets them again: the numbers of several
 * processes are added up, and these are not of one process.
 */
export async function measureDeliveries(pool: pg.Pool): Promise<() => void> {
  const { oldestWaitingAgeSeconds, ...counts } = await countOpenDeliveries(pool);
  for (const [state, count] of Object.entries(counts)) openDeliveries.set({ state }, count);
  oldestAgeSeconds.set(oldestWaitingAgeSeconds);
  return () => {
    openDeliveries.reset();
    oldestAgeSeconds.reset();
  };
}
