import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { nilId } from "../../platform/uuid-time.ts";
import { copySummaries } from "../problems/copy-summaries.ts";
import type { DroppedCount } from "../problems/note-dropped.ts";
import { type Partition, partitionOf, tryLockDaysExclusively } from "./partitions.ts";

const rowsPerStep = 5_000;
/** The lease on a day. A worker that makes no progress for this long is considered dead. */
export const claimMinutes = 10;

/** The key of an event. */
export type Key = { app_id: string; event_id: string };

/** The copy is abandoned. */
export class CopyAbandoned extends Error {}

/**
 * Extends the lease on a partition, and prevents changes that would spoil its copy until the transaction ends. Throws
 * `CopyAbandoned` if events of it were deleted, or an organisation is moving between cells.
 */
export async function extendLease(tx: Transaction, partition: number, number: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update event_partitions set claimed_until = now() + ${sql.lit(claimMinutes)} * interval '1 minute'
    where number = ${partition} and replaced_by = ${number} and ${tryLockDaysExclusively}
      and not exists (select from cell_departures where state <> 'left')`.execute(tx);
  if (numAffectedRows !== 1n) throw new CopyAbandoned();
}

type Step = { count: number; last: string | null; staying: Key[]; dropped: DroppedCount[] };

/**
 * Copies the events of a partition that stay, and those that were not read yet. Rests after each step for as long as it
 * took. Returns the counts of those that do not stay.
 */
export async function copyAll(
  db: Database,
  from: Partition,
  number: number,
  staying: RawBuilder<unknown>,
): Promise<DroppedCount[]> {
  const dropped: DroppedCount[] = [];
  for (let appId = await nextApp(db, from, nilId); appId; appId = await nextApp(db, from, appId)) {
    for (let after: string | null = nilId; after !== null; ) {
      const beganAt = performance.now();
      const step: Step = await copyStep(db, from, number, staying, appId, after);
      dropped.push(...step.dropped);
      after = step.count === rowsPerStep ? step.last : null;
      await sleep(performance.now() - beganAt);
    }
  }
  return dropped;
}

async function nextApp(db: Database, { number }: Partition, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ app_id: string }>`
    select app_id from ${sql.table(partitionOf("events", number))} where app_id > ${after} order by app_id limit 1`.execute(
    db,
  );
  return rows[0]?.app_id;
}

/**
 * Copies the next events of an app. Compares only the id, since the planner would expect no rows for a comparison of
 * two columns.
 */
function copyStep(
  db: Database,
  from: Partition,
  number: number,
  staying: RawBuilder<unknown>,
  appId: string,
  after: string,
): Promise<Step> {
  const events = sql.table(partitionOf("events", from.number));
  const summaries = sql.table(partitionOf("event_summaries", from.number));
  return db.transaction().execute(async (tx) => {
    await extendLease(tx, from.number, number);
    // The index finds a hash's latest thousand events; for empty partitions the planner would scan the table.
    await sql`set local enable_seqscan = off`.execute(tx);
    const { rows } = await sql<Step>`
      with chunk as materialized (
        select app_id, id from ${events} where app_id = ${appId} and id > ${after} order by id limit ${sql.lit(rowsPerStep)}
      ), summary as materialized (
        select s.app_id, s.event_id, s.hash, s.received_at
        from chunk join ${summaries} s on s.app_id = chunk.app_id and s.event_id = chunk.id
      ), staying as materialized (
        ${staying}
        union all
        select app_id, id from chunk
        where not exists (select from summary s where s.app_id = chunk.app_id and s.event_id = chunk.id)
      ), dropped as (
        select app_id, hash, count(*)::integer as count from summary s
        where not exists (select from staying where staying.app_id = s.app_id and staying.event_id = s.event_id)
        group by app_id, hash
      )
      select (select count(*) from chunk)::integer as count, (select id from chunk order by id desc limit 1) as last,
        coalesce((select json_agg(staying) from staying), '[]') as staying,
        coalesce((select json_agg(dropped) from dropped), '[]') as dropped`.execute(tx);
    const [step] = rows as [Step];
    await copy(tx, from, number, step.staying);
    return step;
  });
}

/** Copies events from a partition to the tables with a number. */
export async function copy(tx: Transaction, from: Partition, number: number, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return;
  const wanted = sql`unnest(${keys.map(({ app_id }) => app_id)}::uuid[], ${keys.map(({ event_id }) => event_id)}::uuid[])
    wanted (app_id, event_id)`;
  await sql`insert into ${sql.table(`events_${number}`)}
    select e.* from ${wanted} join ${sql.table(partitionOf("events", from.number))} e
      on e.app_id = wanted.app_id and e.id = wanted.event_id`.execute(tx);
  await copySummaries(
    tx,
    number,
    sql`select s.* from ${wanted} join ${sql.table(partitionOf("event_summaries", from.number))} s
      on s.app_id = wanted.app_id and s.event_id = wanted.event_id`,
  );
}
