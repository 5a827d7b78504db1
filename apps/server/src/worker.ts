import type { LostPassword } from "@lodge/contract/dashboard/access";
import { keepRuns } from "./board/agents/keep-runs.ts";
import { finishLabelChanges } from "./board/labels/finish-label-changes.ts";
import { archiveDone } from "./board/tickets/archive-done.ts";
import { sweepTrash } from "./board/tickets/empty-trash.ts";
import { indexAllTexts } from "./board/tickets/index-texts.ts";
import { keepNumbering } from "./board/tickets/number-tickets.ts";
import { sweepActivities } from "./board/tickets/sweep-activities.ts";
import { eraseDeleted } from "./both/retention/erase-deleted.ts";
import { sweepStore } from "./both/retention/sweep-store.ts";
import { thinEvents } from "./both/retention/thin-events.ts";
import { keepTicketHooks } from "./both/ticket-hooks/keep-ticket-hooks.ts";
import { releaseHookClaims } from "./both/ticket-hooks/release-hook-claims.ts";
import { sweepHookDeliveries } from "./both/ticket-hooks/sweep-hook-deliveries.ts";
import { attemptDelivery } from "./inbox/deliveries/attempt-delivery.ts";
import { deliverNews } from "./inbox/deliveries/deliver-news.ts";
import { openLanes } from "./inbox/deliveries/open-lanes.ts";
import { releaseClaims } from "./inbox/deliveries/release-claims.ts";
import { type ReplayPayload, replayEvents, replayTask } from "./inbox/deliveries/replay-events.ts";
import { sweepAttempts } from "./inbox/deliveries/sweep-attempts.ts";
import { keepReading } from "./inbox/problems/keep-reading.ts";
import { type NewsPayload, newsTask } from "./inbox/problems/problem-news.ts";
import { problemsOfEvents } from "./inbox/problems/problem-of-event.ts";
import { endTurnsOfDead } from "./inbox/problems/reading-turns.ts";
import { regroupApp } from "./inbox/problems/regroup-app.ts";
import { type RegroupPayload, regroupTask } from "./inbox/problems/regrouping-rows.ts";
import { sweepRefusals } from "./inbox/reports/sweep-refusals.ts";
import { sweepItems } from "./inbox/sentry/sweep-items.ts";
import { sweepSourceMaps } from "./inbox/source-maps/sweep-source-maps.ts";
import { sweepHealth } from "./inbox/subscribers/sweep-health.ts";
import { wakeOverdue } from "./inbox/subscribers/wake-overdue.ts";
import { type WakePayload, wakeTask } from "./inbox/subscribers/wake-subscribers.ts";
import { sweepSessions } from "./people/access/sweep-sessions.ts";
import { closeMonths } from "./people/installs/close-months.ts";
import { noteInstalls } from "./people/installs/note-installs.ts";
import { warnOfQuota } from "./people/installs/warn-of-quota.ts";
import { keepTelling } from "./people/notifications/keep-telling.ts";
import { type HookPost, hookTask, postHappening } from "./people/notifications/post-happening.ts";
import { postNotices, postTask, type SlackPost, sendNotices } from "./people/notifications/send-notices.ts";
import { sweepNotices } from "./people/notifications/sweep-notices.ts";
import { warnOfDisks } from "./people/notifications/warn-of-disks.ts";
import { lostPasswordTask, mailPasswordLink } from "./people/organisations/lose-password.ts";
import { connectionsOf, sessionName, statementTimeoutMs } from "./platform/database/budget.ts";
import { type DatabaseAddress, onLostStatement, openPool, queryBuilder } from "./platform/database/database.ts";
import type { Deps } from "./platform/deps.ts";
import { makeWorkerId, startJobs } from "./platform/jobs/jobs.ts";
import { sweepRateLimits } from "./platform/limits/rate-limit.ts";
import { measureTasks } from "./platform/observe/measure-task.ts";
import { traceTasks } from "./platform/observe/tracing.ts";
import { within } from "./platform/outage.ts";
import { openMailer } from "./platform/outbound/open-mailer.ts";
import { openOutboundAgent } from "./platform/outbound/outbound.ts";
import { mailTask, type QueuedMail } from "./platform/outbound/queue-mail.ts";

/**
 * The worker does not wait for its commits to be flushed. If PostgreSQL crashes right after one, the work is repeated,
 * as after a crash of the worker itself: jobs and deliveries happen at least once.
 */
const upkeepSettings = { synchronous_commit: "off" };

/**
 * Jobs look up rows of growing tables. A connection plans their statements once, often while the tables are empty and a
 * sequential scan is cheapest: that plan must not stay when they have grown (docs/decisions/fan-out.md).
 */
const workerSettings = { ...upkeepSettings, enable_seqscan: "off" };

/** Attempts take at most 15 s, and statements on a database that does not respond are abandoned in half of that. */
const stopTimeoutMs = 25_000;

/** A running worker. */
export type Worker = {
  /** Lets attempts in progress finish, which takes at most 15 s, or cuts them at a second signal. */
  stop: (insisted?: AbortSignal) => Promise<void>;
};

/** Processes the work that requests leave behind: the only place where a task's name meets its code. */
export async function startWorker(server: Deps, address: DatabaseAddress): Promise<Worker> {
  await using started = new AsyncDisposableStack();
  const connections = connectionsOf(server.config.processes);
  // Separate connections, so that jobs never use those that requests wait for, and upkeep none that jobs wait for.
  const open = (room: "worker" | "upkeep", settings: Record<string, string>): Deps => {
    const session = { name: sessionName(room, server.cell), statementTimeoutMs: statementTimeoutMs[room], settings };
    const pool = started.use(openPool(address, server.log, connections[room], session));
    onLostStatement(pool, server.miss);
    return { ...server, pool, db: queryBuilder(pool) };
  };
  const deps = open("worker", workerSettings);
  const upkeep = open("upkeep", upkeepSettings);
  const agent = openOutboundAgent(deps.config.webhookAllowedNetworks, deps.resolveHost);
  started.defer(async () => {
    if (!agent.destroyed) await agent.close();
  });
  const mailer = openMailer(deps.config, deps.log, deps.urls);
  started.defer(mailer.close);
  const workerId = makeWorkerId();
  const lanes = openLanes(
    deps,
    workerId,
    attemptDelivery(deps, { agent, mailer, findProblem: problemsOfEvents(deps) }),
  );
  const jobs = await startJobs(workerId, address, deps.pool, deps.log, {
    tasks: traceTasks(server.tracer, {
      [wakeTask]: (payload) => lanes.wake(payload as WakePayload),
      [newsTask]: (payload) => deliverNews(deps, payload as NewsPayload),
      [replayTask]: (payload) => replayEvents(deps, payload as ReplayPayload),
      [regroupTask]: (payload) => regroupApp(upkeep, payload as RegroupPayload),
      [lostPasswordTask]: (payload) => mailPasswordLink(deps, payload as LostPassword),
      [postTask]: (payload, { job }) => postNotices(deps, agent, payload as SlackPost, job.created_at),
      [hookTask]: (payload, { job }) => postHappening(deps, agent, payload as HookPost, job.created_at),
      [mailTask]: (payload, { job }) => mailer.send(payload as QueuedMail, job.created_at),
      ...measureTasks(server.cell, {
        send_notices: () => sendNotices(deps),
        warn_of_quota: () => warnOfQuota(deps),
        warn_of_disks: () => warnOfDisks(deps),
        wake_overdue: () => wakeOverdue(upkeep),
        sweep_notices: () => sweepNotices(upkeep),
        index_texts: () => indexAllTexts(upkeep),
        archive_done: () => archiveDone(upkeep),
        close_months: () => closeMonths(upkeep),
        note_installs: () => noteInstalls(upkeep),
        sweep_rate_limits: () => sweepRateLimits(upkeep),
        sweep_sessions: () => sweepSessions(upkeep),
        thin_events: () => thinEvents(upkeep),
        erase_deleted: () => eraseDeleted(upkeep),
        change_labels: () => finishLabelChanges(upkeep),
        sweep_history: async () => {
          const swept = {
            attempts: await sweepAttempts(upkeep),
            hookDeliveries: await sweepHookDeliveries(upkeep),
            activities: await sweepActivities(upkeep),
            trashedTickets: await sweepTrash(upkeep),
            refusals: await sweepRefusals(upkeep),
            unstoredItems: await sweepItems(upkeep),
          };
          await sweepHealth(upkeep);
          deps.log.info(
            swept,
            "deleted attempts, deliveries, activities, tickets in the trash and counts of refusals whose retention is over",
          );
        },
        sweep_source_maps: () => sweepSourceMaps(upkeep),
        sweep_store: async () => deps.log.info(await sweepStore(upkeep), "swept the store"),
      }),
    }),
    cron: [
      { task: "sweep_rate_limits", match: "47 * * * *" },
      { task: "sweep_sessions", match: "35 3 * * *" },
      { task: "sweep_store", match: "17 * * * *" },
      { task: "thin_events", match: "12 * * * *" },
      { task: "erase_deleted", match: "* * * * *" },
      { task: "change_labels", match: "* * * * *" },
      { task: "sweep_history", match: "20 4 * * *" },
      { task: "sweep_source_maps", match: "52 * * * *" },
      { task: "send_notices", match: "* * * * *" },
      { task: "warn_of_quota", match: "* * * * *" },
      { task: "warn_of_disks", match: "* * * * *" },
      { task: "wake_overdue", match: "* * * * *" },
      { task: "sweep_notices", match: "40 3 * * *" },
      { task: "index_texts", match: "* * * * *" },
      { task: "archive_done", match: "27 * * * *" },
      { task: "close_months", match: "5 0 * * *" },
      { task: "note_installs", match: "29,59 * * * *" },
    ],
    releaseClaims: async (client, deadIds) => {
      await releaseClaims(client, deadIds);
      await releaseHookClaims(client, deadIds);
      await endTurnsOfDead(client, deadIds);
    },
  });
  const reading = keepReading(deps, workerId);
  const runs = keepRuns(deps);
  const telling = keepTelling(deps);
  const numbering = keepNumbering(upkeep);
  const ticketHooks = keepTicketHooks(deps, workerId, agent);
  const all = started.move();
  return {
    stop: async (insisted) => {
      const cut = () => void agent.destroy(new Error("Lodge was told to stop immediately"));
      insisted?.addEventListener("abort", cut);
      if (insisted?.aborted) cut();
      await within(
        stopTimeoutMs,
        Promise.all([lanes, jobs, reading, runs, telling, numbering, ticketHooks].map((part) => part.stop())),
      ).catch((error: unknown) => {
        deps.log.warn({ err: error }, "the worker did not stop in time; its unfinished work starts again");
        cut();
      });
      insisted?.removeEventListener("abort", cut);
      await all.disposeAsync();
    },
  };
}
