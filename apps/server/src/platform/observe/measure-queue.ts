import { Counter, Gauge } from "prom-client";
import { registry } from "./metrics.ts";

/** The metrics of all queues of a kind in this process. */
export type MeasuredQueue = {
  /** The number of entries in the queue now: waiting or being processed. */
  depth: number;
  /** Counts entries that were rejected because the queue was full. */
  refused: (count: number) => void;
};

const queues = new Map<string, MeasuredQueue>();

const refusals = new Counter({
  name: "lodged_queue_refusals_total",
  help: "Requests and announcements rejected because their queue was full.",
  labelNames: ["queue"],
  registers: [registry],
});
new Gauge({
  name: "lodged_queue_depth",
  help: "Requests or announcements in a queue, waiting or being processed.",
  labelNames: ["queue"],
  registers: [registry],
  collect() {
    for (const [queue, { depth }] of queues) this.set({ queue }, depth);
  },
});

/** Adds a queue's depth and rejections to `GET /metrics`. */
export function measureQueue(queue: string): MeasuredQueue {
  const measured = { depth: 0, refused: (count: number) => refusals.inc({ queue }, count) };
  queues.set(queue, measured);
  measured.refused(0); // so that the first rejection is an increase
  return measured;
}
