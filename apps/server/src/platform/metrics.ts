import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** The numbers that `GET /metrics` shows. */
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
