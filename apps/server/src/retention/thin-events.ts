import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { Counter } from "prom-client";
import type { Database } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { registry } from "../platform/observe/metrics.ts";
import { noteDropped } from "../problems/note-dropped.ts";
import { deleteEvents } from "../reports/delete-events.ts";
import { cutPartitions } from "./cut-partitions.ts";
import { dropDay, dropOrphans, findFirstWhole, type IdRange } from "./drop-days.ts";

const dayMs = 86_400_000;
/** What a large problem keeps whatever its age, of its latest events. */
const keptOfLarge = 1_000;
const batchMax = 500;
/** It is begun every hour: one that finds more goes on five minutes later. */
const runMsMax = 3_300_000;

const droppedEvents = new Counter({
  name: "lodged_events_dropped_total",
  help: "Events that retention has deleted: with their day, of large problems, of all others, or single reports.",
  labelNames: ["of"],
  registers: [registry],
});

/** How many events retention has deleted. */
export type Thinned = { days: number; largeProblems: number; problems: number; singleReports: number };

/**
 * Deletes the events whose retention is over: days that are old as a whole first, then those of the largest problems; of
 * large problems earlier, beyond their latest 1,000. The first and the last event of a problem stay, and those with attachments, replies, a card that was made
 * of them, or deliveries still to be made. Works in batches, with as long a rest after each; can be stopped at any point and run
 * again.
 */
export async function thinEvents(deps: Pick<Deps, "db" | "store" | "clock" | "config" | "log">): Promise<Thinned> {
  const { db, clock, config, log } = deps;
  const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  const endsAt = performance.now() + runMsMax;
  const large = before(Math.min(config.largeProblemRetentionDays, config.eventRetentionDays));
  const old = before(config.eventRetentionDays);
  await cutPartitions(deps);
  const days = await dropDays(db, large, old, endsAt);
  await dropOrphans(db, endsAt);
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
    const gone = await dropDay(db, large, (summaries, ids) => stayingOf(summaries, ids, large, old));
    if (gone === undefined) break;
    droppedEvents.inc({ of: "day" }, gone);
    dropped += gone;
  }
  return dropped;
}

/** What keeps an event, whatever its age: rows `k` of its app_id and event_id. */
const keepers = [
  sql`artifacts k where true`,
  sql`threads k where k.message_count > 0`,
  sql`report_cards k where true`,
  sql`deliveries k where k.state in ('waiting', 'failed')`,
  sql`tickets k where true`,
];

/** What `e` of event_summaries must be to go by itself. */
const isExpendable = (before: Date, firstWhole: string | undefined): RawBuilder<unknown> => sql`
  e.received_at < ${before} and ${firstWhole === undefined ? sql`true` : sql`e.event_id < ${firstWhole}`}
  and ${sql.join(
    keepers.map(
      (keeper) => sql`not exists (select from ${keeper} and k.app_id = e.app_id and k.event_id = e.event_id)`,
    ),
    sql` and `,
  )}`;

/** The rows of a partition of event_summaries that stay when the others of it go together: the same conditions, for many at once. */
const stayingOf = (summaries: RawBuilder<unknown>, { from, until }: IdRange, large: Date, old: Date) => sql`
  select e.* from ${summaries} e
  left join problem_hashes h on h.app_id = e.app_id and h.hash = e.hash
  left join problems p on p.app_id = h.app_id and p.id = h.problem_id
  left join (
    select large.app_id, large.hash, newest.received_at, newest.event_id from problem_hashes large
    cross join lateral (
      select n.received_at, n.event_id from event_summaries n where n.app_id = large.app_id and n.hash = large.hash
      order by n.received_at desc, n.event_id desc offset ${sql.lit(keptOfLarge - 1)} limit 1) newest
    where large.event_count - large.dropped_count > ${sql.lit(keptOfLarge)}
  ) newest on newest.app_id = e.app_id and newest.hash = e.hash
  left join (${sql.join(
    keepers.map(
      (keeper) =>
        sql`select k.app_id, k.event_id from ${keeper} and k.event_id >= ${from}::uuid and k.event_id < ${until}::uuid`,
    ),
    sql` union `,
  )}) kept on kept.app_id = e.app_id and kept.event_id = e.event_id
  where (e.received_at < ${large} and kept.event_id is null and case
      when e.hash is null then e.received_at < ${old}
      else e.event_id not in (p.first_event_id, p.last_event_id)
        and (e.received_at < ${old} or (e.received_at, e.event_id) < (newest.received_at, newest.event_id))
    end) is not true`;

async function findOfProblems(
  db: Database,
  before: Date,
  kept: number,
  firstWhole: string | undefined,
): Promise<Found[]> {
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
