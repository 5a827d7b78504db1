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

/** Adds the time and duration of each task's last successful run to `GET /metrics`. */
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
