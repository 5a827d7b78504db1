import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { Counter } from "prom-client";
import { noteDropped } from "../../inbox/problems/note-dropped.ts";
import { cutPartitions } from "../../inbox/reports/cut-partitions.ts";
import { deleteEvents } from "../../inbox/reports/delete-events.ts";
import { dropDay, findFirstWhole, type IdRange, type Staying } from "../../inbox/reports/drop-day.ts";
import { analyseEvents } from "../../inbox/reports/partitions.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { registry } from "../../platform/observe/metrics.ts";
import { dropOrphans } from "./drop-orphans.ts";

const dayMs = 86_400_000;
/** The number of latest events that a large problem keeps at any age. */
const keptOfLarge = 1_000;
const batchMax = 500;
/** It starts every hour; if there is more to do, the next run starts five minutes after this one ends. */
const runMsMax = 3_300_000;

const droppedEvents = new Counter({
  name: "lodged_events_dropped_total",
  help: "Events deleted by retention: with their whole day, of large problems, of other problems, or single reports.",
  labelNames: ["of"],
  registers: [registry],
});

/** The number of events that retention has deleted. */
export type Thinned = { days: number; largeProblems: number; problems: number; singleReports: number };

/**
 * Deletes the events past their retention: first whole old days, then events of the largest problems; large problems
 * lose events earlier, beyond their latest 1,000. Kept are the first and last event of a problem, and events with
 * attachments, replies, a card, or pending deliveries. Works in batches, pausing after each for as long as it took; can
 * be stopped at any point and run again.
 */
export async function thinEvents(deps: Pick<Deps, "db" | "store" | "clock" | "config" | "log">): Promise<Thinned> {
  const { db, clock, config, log } = deps;
  const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  const endsAt = performance.now() + runMsMax;
  const large = before(Math.min(config.largeProblemRetentionDays, config.eventRetentionDays));
  const old = before(config.eventRetentionDays);
  // A failure of one step must not keep the others from running.
  const attempt = <Result>(what: string, work: Promise<Result>): Promise<Result | undefined> =>
    work.catch((error: unknown) => {
      log.error({ err: error }, `retention: ${what} failed`);
      return undefined;
    });
  await attempt("beginning partitions of events", cutPartitions(deps));
  const days = (await attempt("dropping days", dropDays(db, large, old, endsAt))) ?? 0;
  await attempt("deleting what dropped days have left", dropOrphans(db, endsAt));
  await attempt("analysing events", analyseEvents(db));
  const firstWhole = await findFirstWhole(db);
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
  const thinned = {
    days,
    largeProblems: await drop("large_problem", () => findOfProblems(db, large, keptOfLarge, firstWhole)),
    problems: await drop("problem", () => findOfProblems(db, old, 0, firstWhole)),
    singleReports: await drop("single_report", () => findSingle(db, old, firstWhole)),
  };
  if (Object.values(thinned).some((count) => count > 0)) log.info(thinned, "deleted events whose retention is over");
  return thinned;
}

type Found = { app_id: string; event_id: string };

async function dropDays(db: Database, large: Date, old: Date, endsAt: number): Promise<number> {
  let dropped = 0;
  while (performance.now() < endsAt) {
    const gone = await dropDay(db, large, stayingOf(large, old));
    if (gone === undefined) break;
    droppedEvents.inc({ of: "day" }, gone);
    dropped += gone;
  }
  return dropped;
}

/**
 * The rows that keep an event at any age: rows `k` with its app_id and event_id, and which of them may be newer than a
 * given time. Attachments arrive with their event.
 */
const keepers = [
  { rows: sql`artifacts k where true` },
  { rows: sql`threads k where k.message_count > 0`, since: (at: Date) => sql`k.last_message_at >= ${at}` },
  { rows: sql`report_cards k where true`, since: (at: Date) => sql`k.created_at >= ${at}` },
  { rows: sql`deliveries k where k.state in ('waiting', 'failed')`, since: () => sql`true` },
  { rows: sql`tickets k where true`, since: (at: Date) => sql`k.created_at >= ${at}` },
];

/** Whether nothing keeps a row `e` of event_summaries. */
const isKeptByNothing = sql`${sql.join(
  keepers.map(({ rows }) => sql`not exists (select from ${rows} and k.app_id = e.app_id and k.event_id = e.event_id)`),
  sql` and `,
)}`;

/** The condition for rows `e` of event_summaries that can be deleted individually. */
const isExpendable = (before: Date, firstWhole: string | undefined): RawBuilder<unknown> => sql`
  e.received_at < ${before} and ${firstWhole === undefined ? sql`true` : sql`e.event_id < ${firstWhole}`}
  and ${isKeptByNothing}`;

/** The same conditions for events that are dropped with their day. */
const stayingOf = (large: Date, old: Date): Staying => ({
  of: sql`
    with newest as materialized (
      select wanted.app_id, wanted.hash, n.received_at, n.event_id
      from (select distinct app_id, hash from summary where hash is not null) wanted
      join problem_hashes counted on counted.app_id = wanted.app_id and counted.hash = wanted.hash
        and counted.event_count - counted.dropped_count > ${sql.lit(keptOfLarge)}
      cross join lateral (
        select received_at, event_id from event_summaries n where n.app_id = wanted.app_id and n.hash = wanted.hash
        order by received_at desc, event_id desc offset ${sql.lit(keptOfLarge - 1)} limit 1) n
    )
    select e.app_id, e.event_id from summary e
    left join problem_hashes h on h.app_id = e.app_id and h.hash = e.hash
    left join problems p on p.app_id = h.app_id and p.id = h.problem_id
    left join newest on newest.app_id = e.app_id and newest.hash = e.hash
    where (e.received_at < ${large} and case
        when e.hash is null then e.received_at < ${old}
        else e.event_id not in (p.first_event_id, p.last_event_id)
          and (e.received_at < ${old} or (e.received_at, e.event_id) < (newest.received_at, newest.event_id))
      end and ${isKeptByNothing}) is not true`,
  since: ({ from, until }: IdRange, at: Date) =>
    sql.join(
      keepers.flatMap(({ rows, since }) =>
        since
          ? [
              sql`select k.app_id, k.event_id from ${rows} and ${since(at)} and k.event_id >= ${from} and k.event_id < ${until}`,
            ]
          : [],
      ),
      sql` union all `,
    ),
});

async function findOfProblems(
  db: Database,
  before: Date,
  kept: number,
  firstWhole: string | undefined,
): Promise<Found[]> {
  const due = sql`first_seen_at < ${before} and event_count - dropped_count > ${sql.lit(kept)}`;
  // Usually there is none, and planning the query for their events takes longer than checking for one.
  const { rows: some } = await sql`select from problem_hashes where ${due} limit 1`.execute(db);
  if (some.length === 0) return [];
  const newest = sql`(e.received_at, e.event_id) < (
    select received_at, event_id from event_summaries n where n.app_id = h.app_id and n.hash = h.hash
    order by received_at desc, event_id desc offset ${sql.lit(kept - 1)} limit 1)`;
  const { rows } = await sql<Found>`
    select h.app_id, e.event_id
    from (
      select app_id, hash, problem_id from problem_hashes
      where ${due}
      order by event_count desc, app_id, hash
    ) h
    join problems p on p.app_id = h.app_id and p.id = h.problem_id
    cross join lateral (
      select event_id from event_summaries e
      where e.app_id = h.app_id and e.hash = h.hash and e.event_id not in (p.first_event_id, p.last_event_id)
        and ${isExpendable(before, firstWhole)} ${kept > 0 ? sql`and ${newest}` : sql``}
      order by e.received_at, e.event_id limit ${sql.lit(batchMax)}
    ) e
    limit ${sql.lit(batchMax)}`.execute(db);
  return rows;
}

async function findSingle(db: Database, before: Date, firstWhole: string | undefined): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select apps.id as app_id, e.event_id from apps
    cross join lateral (
      select event_id from event_summaries e where e.app_id = apps.id and e.hash is null and ${isExpendable(before, firstWhole)}
      order by e.received_at, e.event_id limit ${sql.lit(batchMax)}
    ) e
    limit ${sql.lit(batchMax)}`.execute(db);
  return rows;
}
