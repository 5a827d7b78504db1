import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** The numbers of this process. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: "lodged_" });

/** Seconds from a request's first byte to its answer's last, by method, route and status. */
export const requestSeconds = new Histogram({
  name: "lodged_http_request_duration_seconds",
  help: "Seconds from the first byte of a request to the last of its answer.",
  labelNames: ["method", "route", "status"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers: [registry],
});

/** How one of several processes asks the first one for the numbers of all of them. */
export type MetricsQuestion = { type: "lodge:metrics?"; id: string };
export type MetricsAnswer = { type: "lodge:metrics!"; id: string; text: string };

/** What `GET /metrics` shows: the sum over all processes of this machine, whichever of them is asked. */
export function readMetrics(): Promise<string> {
  if (!cluster.isWorker) return registry.metrics();
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
