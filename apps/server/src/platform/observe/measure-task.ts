import { Gauge } from "prom-client";
import { labelOfCell, registry } from "./metrics.ts";

const finishedAt = new Gauge({
  name: "lodged_task_finished_timestamp_seconds",
  help: "Unix time at which a scheduled task, such as a sweep, last completed.",
  labelNames: ["task", "cell"],
  aggregator: "max",
  registers: [registry],
});
const took = new Gauge({
  name: "lodged_task_duration_seconds",
  help: "Seconds that this last run of the task took.",
  labelNames: ["task", "cell"],
  aggregator: "max",
  registers: [registry],
});

/** The same tasks, which show in `GET /metrics` when each was last done and how long that took. A failed one shows nothing. */
export function measureTasks<Tasks extends Record<string, () => Promise<unknown>>>(
  cell: string | undefined,
  tasks: Tasks,
) {
  const measured = Object.entries(tasks).map(([task, run]) => [
    task,
    async () => {
      const startedAt = performance.now();
      await run();
      took.set({ task, ...labelOfCell(cell) }, (performance.now() - startedAt) / 1000);
      finishedAt.set({ task, ...labelOfCell(cell) }, Date.now() / 1000);
    },
  ]);
  return Object.fromEntries(measured) as Record<keyof Tasks, () => Promise<void>>;
}
