import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of this process. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: "lodged_" });

/** Seconds from a request's first byte to its response's last, by method, route, status and cell (except home). */
export const requestSeconds = new Histogram({
  name: "lodged_http_request_duration_seconds",
  help: "Seconds from the first byte of a request to the last of its answer.",
  labelNames: ["method", "route", "status", "cell"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers: [registry],
});

/** The label of a cell's metrics; empty for the cell of DATABASE_URL, which most installations have only. */
export const labelOfCell = (cell: string | undefined) => (cell === undefined ? {} : { cell });

const pools = new Map<string, pg.Pool>();

/** Adds a pool to `GET /metrics` until it is closed. */
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

/** Metrics that only the first process has, so that they are not summed. */
const firstRegistry = new Registry();

/** The number of processes of this machine that died and were replaced. */
export const processDeaths = new Counter({
  name: "lodged_process_deaths_total",
  help: "Processes of LODGE_PROCESSES that died, and were replaced, since the first one started.",
  registers: [firstRegistry],
});

/** The message with which a process asks the first one for the metrics of all. */
export type MetricsQuestion = { type: "lodge:metrics?"; id: string };
export type MetricsAnswer = { type: "lodge:metrics!"; id: string; text: string };

/** The message with which the first process asks each one for its own metrics. */
export type NumbersQuestion = { type: "lodge:numbers?" };
export type NumbersAnswer = { type: "lodge:numbers!"; numbers: object };

/** Sums the metrics of all processes, and appends those of the first one. */
export const addUp = async (numbers: readonly object[]): Promise<string> =>
  `${await AggregatorRegistry.aggregate([...numbers]).metrics()}\n${await firstRegistry.metrics()}`;

/** The content of `GET /metrics`: the sum over all processes of this machine, from any of them. */
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
