import { sweepSessions } from "./access/sweep-sessions.ts";
import { sweepStore } from "./artifacts/sweep-store.ts";
import { attemptDelivery } from "./deliveries/attempt-delivery.ts";
import { openLanes } from "./deliveries/open-lanes.ts";
import { releaseClaims } from "./deliveries/release-claims.ts";
import { closeMonths } from "./installs/close-months.ts";
import { connectionsOfWorker, type DatabaseAddress, openPool, queryBuilder } from "./platform/database/database.ts";
import type { Deps } from "./platform/deps.ts";
import { makeWorkerId, startJobs } from "./platform/jobs/jobs.ts";
import { sweepRateLimits } from "./platform/limits/rate-limit.ts";
import { measureTasks } from "./platform/observe/measure-task.ts";
import { openOutboundAgent } from "./platform/outbound/outbound.ts";
import { type WakePayload, wakeTask } from "./subscribers/wake-subscribers.ts";

/**
 * The worker's commits are not waited for. Should PostgreSQL crash within a moment after one, what it had done is done
 * again, as after a crash of the worker itself: a job and a delivery happen at least once.
 */
const sessionOptions = "-c synchronous_commit=off";

/** A running worker. */
export type Worker = {
  /** Lets the attempts under way finish, which takes 15 s at most, or cuts them as soon as somebody insists. */
  stop: (insisted?: AbortSignal) => Promise<void>;
};

/** Works off what requests have left to be done: the only place where a task's name meets its code. */
export async function startWorker(server: Deps, address: DatabaseAddress): Promise<Worker> {
  // Connections of its own, so that jobs never take those that requests wait for.
  const pool = openPool(address, server.log, connectionsOfWorker(server.config.processes), sessionOptions);
  const deps: Deps = { ...server, pool, db: queryBuilder(pool) };
  const agent = openOutboundAgent(deps.config.webhookAllowedNetworks, deps.resolveHost);
  const workerId = makeWorkerId();
  const lanes = openLanes(deps, workerId, attemptDelivery(deps, agent));
  const jobs = await startJobs(workerId, address, pool, deps.log, {
    tasks: {
      [wakeTask]: (payload) => lanes.wake(payload as WakePayload),
      ...measureTasks({
        close_months: () => closeMonths(deps),
        sweep_rate_limits: () => sweepRateLimits(deps),
        sweep_sessions: () => sweepSessions(deps),
        sweep_store: async () => deps.log.info(await sweepStore(deps), "swept the store"),
      }),
    },
    cron: [
      { task: "sweep_rate_limits", match: "47 * * * *" },
      { task: "sweep_sessions", match: "35 3 * * *" },
      { task: "sweep_store", match: "17 * * * *" },
      { task: "close_months", match: "5 0 * * *" },
    ],
    releaseClaims,
  }).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  return {
    stop: async (insisted) => {
      const cut = () => void agent.destroy(new Error("Lodge was told to stop at once"));
      insisted?.addEventListener("abort", cut);
      if (insisted?.aborted) cut();
      await Promise.all([lanes.stop(), jobs.stop()]);
      insisted?.removeEventListener("abort", cut);
      if (!agent.destroyed) await agent.close();
      await pool.end();
    },
  };
}
