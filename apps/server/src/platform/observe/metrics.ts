import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The numbers of this process. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: "lodged_" });

/** Seconds from a request's first byte to its answer's last, by method, route and status, and by cell but for home. */
export const requestSeconds = new Histogram({
  name: "lodged_http_request_duration_seconds",
  help: "Seconds from the first byte of a request to the last of its answer.",
  labelNames: ["method", "route", "status", "cell"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers: [registry],
});

/** The label of what is measured of a cell: none of the one of DATABASE_URL, which most installations have alone. */
export const labelOfCell = (cell: string | undefined) => (cell === undefined ? {} : { cell });

const pools = new Map<string, pg.Pool>();

/** Shows a pool under a name in `GET /metrics` until it has ended. */
export function measurePool(name: string, pool: pg.Pool): void {
  pools.set(name, pool);
}

new Gauge({
  name: "lodged_database_connections",
  help: "Connections to the database, by pool: in use by a request or a job, and idle.",
  labelNames: ["pool", "state"],
  registers: [registry],
  collect() {
    for (const [name, pool] of livingPools()) {
      this.set({ pool: name, state: "in_use" }, pool.totalCount - pool.idleCount);
      this.set({ pool: name, state: "idle" }, pool.idleCount);
    }
  },
});
new Gauge({
  name: "lodged_database_waiting",
  help: "Requests and jobs that wait for a connection to the database, by pool.",
  labelNames: ["pool"],
  registers: [registry],
  collect() {
    for (const [name, pool] of livingPools()) this.set({ pool: name }, pool.waitingCount);
  },
});

const livingPools = () => [...pools].filter(([, pool]) => !pool.ended);

/** The numbers of the first of several processes, or of the only one: nothing to add up. */
const firstRegistry = new Registry();

/** Processes of this machine that died and were replaced. */
export const processDeaths = new Counter({
  name: "lodged_process_deaths_total",
  help: "Processes of LODGE_PROCESSES that died, and were replaced, since the first one started.",
  registers: [firstRegistry],
});

/** How one of several processes asks the first one for the numbers of all of them. */
export type MetricsQuestion = { type: "lodge:metrics?"; id: string };
export type MetricsAnswer = { type: "lodge:metrics!"; id: string; text: string };

/** How the first one asks each of them for its own. */
export type NumbersQuestion = { type: "lodge:numbers?" };
export type NumbersAnswer = { type: "lodge:numbers!"; numbers: object };

/** Adds up what processes have told of themselves, and adds what only the first one knows. */
export const addUp = async (told: readonly object[]): Promise<string> =>
  `${await AggregatorRegistry.aggregate([...told]).metrics()}\n${await firstRegistry.metrics()}`;

/** The content of `GET /metrics`: the sum over all processes of this machine, whichever of them is asked. */
export function readMetrics(): Promise<string> {
  if (!cluster.isWorker) return Registry.merge([registry, firstRegistry]).metrics();
  const question: MetricsQuestion = { type: "lodge:metrics?", id: randomUUID() };
  return new Promise((resolve) => {
    const listener = (message: MetricsAnswer) => {
      if (message.type !== "lodge:metrics!" || message.id !== question.id) return;
      process.off("message", listener);
      resolve(message.text);
    };
    process.on("message", listener);
    process.send?.(question);
  });
}
