import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { Counter } from "prom-client";
import type { Database } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { registry } from "../platform/observe/metrics.ts";
import { noteDropped } from "../problems/note-dropped.ts";
import { deleteEvents } from "../reports/delete-events.ts";

const dayMs = 86_400_000;
/** What a large problem keeps whatever its age, of its latest events. */
const keptOfLarge = 1_000;
const batchMax = 500;
/** It is begun every hour: one that finds more goes on five minutes later. */
const runMsMax = 3_300_000;

const droppedEvents = new Counter({
  name: "lodged_events_dropped_total",
  help: "Events that retention has deleted: of large problems, of all others, or single reports.",
  labelNames: ["of"],
  registers: [registry],
});

/** How many events retention has deleted. */
export type Thinned = { largeProblems: number; problems: number; singleReports: number };

/**
 * Deletes the events whose retention is over, those of the largest problems first; of large problems earlier, beyond their
 * latest 1,000. The first and the last event of a problem stay, and those with attachments, replies, a card that was made
 * of them, or deliveries still to be made. Works in batches, with as long a rest after each; can be stopped at any point and run
 * again.
 */
export async function thinEvents(deps: Pick<Deps, "db" | "store" | "clock" | "config" | "log">): Promise<Thinned> {
  const { db, clock, config, log } = deps;
  const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  const endsAt = performance.now() + runMsMax;
  const drop = async (of: string, find: () => Promise<Found[]>) => {
    let dropped = 0;
    while (performance.now() < endsAt) {
      const beganAt = performance.now();
      const found = await find();
      if (found.length === 0) break;
      for (const [appId, events] of Map.groupBy(found, ({ app_id }) => app_id)) {
        const ids = events.map(({ event_id }) => event_id);
        dropped += (await deleteEvents(deps, appId, ids, (tx) => noteDropped(tx, appId, ids))).events;
      }
      await sleep(performance.now() - beganAt);
    }
    droppedEvents.inc({ of }, dropped);
    return dropped;
  };
  const large = before(Math.min(config.largeProblemRetentionDays, config.eventRetentionDays));
  const old = before(config.eventRetentionDays);
  const thinned = {
    largeProblems: await drop("large_problem", () => findOfProblems(db, large, keptOfLarge)),
    problems: await drop("problem", () => findOfProblems(db, old, 0)),
    singleReports: await drop("single_report", () => findSingle(db, old)),
  };
  if (Object.values(thinned).some((count) => count > 0)) log.info(thinned, "deleted events whose retention is over");
  return thinned;
}

type Found = { app_id: string; event_id: string };

/** What `e` of event_summaries must be to go. */
const isExpendable = (before: Date): RawBuilder<unknown> => sql`
  e.received_at < ${before}
  and not exists (select from artifacts a where a.app_id = e.app_id and a.event_id = e.event_id)
  and not exists (select from threads t where t.app_id = e.app_id and t.event_id = e.event_id and t.message_count > 0)
  and not exists (select from report_cards c where c.app_id = e.app_id and c.event_id = e.event_id)
  and not exists (select from deliveries d where d.app_id = e.app_id and d.event_id = e.event_id
    and d.state in ('waiting', 'failed'))
  and not exists (select from tickets k where k.app_id = e.app_id and k.event_id = e.event_id)`;

async function findOfProblems(db: Database, before: Date, kept: number): Promise<Found[]> {
  const newest = sql`(e.received_at, e.event_id) < (
    select received_at, event_id from event_summaries n where n.app_id = h.app_id and n.hash = h.hash
    order by received_at desc, event_id desc offset ${sql.lit(kept - 1)} limit 1)`;
  const { rows } = await sql<Found>`
    select h.app_id, e.event_id
    from (
      select app_id, hash, problem_id from problem_hashes
      where first_seen_at < ${before} and event_count - dropped_count > ${sql.lit(kept)}
      order by event_count desc, app_id, hash
    ) h
    join problems p on p.app_id = h.app_id and p.id = h.problem_id
    cross join lateral (
      select event_id from event_summaries e
      where e.app_id = h.app_id and e.hash = h.hash and e.event_id not in (p.first_event_id, p.last_event_id)
        and ${isExpendable(before)} ${kept > 0 ? sql`and ${newest}` : sql``}
      order by e.received_at, e.event_id limit ${sql.lit(batchMax)}
    ) e
    limit ${sql.lit(batchMax)}`.execute(db);
  return rows;
}

async function findSingle(db: Database, before: Date): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select apps.id as app_id, e.event_id from apps
    cross join lateral (
      select event_id from event_summaries e where e.app_id = apps.id and e.hash is null and ${isExpendable(before)}
      order by e.received_at, e.event_id limit ${sql.lit(batchMax)}
    ) e
    limit ${sql.lit(batchMax)}`.execute(db);
  return rows;
}
