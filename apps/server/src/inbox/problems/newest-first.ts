import type { Database } from "../../platform/database/database.ts";
import { clockSlackMs, lastId, nilId, timeOf } from "../../platform/uuid-time.ts";

const knownMs = 60_000;
/** A query of so many partitions of events costs little more than one of the newest. */
const fewPartitions = 4;

type Starts = { ids: readonly string[]; until: number };
const known = new WeakMap<Database, Starts>();

/** The first ids of the partitions of events, but for the oldest one, as they were within the last minute. */
async function startsOfPartitions(db: Database): Promise<readonly string[]> {
  const last = known.get(db);
  if (last && performance.now() < last.until) return last.ids;
  const partitions = db.selectFrom("event_partitions").select("from_id").where("from_id", "is not", null);
  const ids = (await partitions.orderBy("from_id").$narrowType<{ from_id: string }>().execute()).map(
    ({ from_id }) => from_id,
  );
  known.set(db, { ids, until: performance.now() + knownMs });
  return ids;
}

/** Ids of events from the first on and before the second. */
export type Window = { since: string; until: string };
export const everything: Window = { since: nilId, until: lastId };

/**
 * From the partition of events before that of a time to the one after, or without an end where nothing later can be there by
 * now; everything where there are so few that a query of all is as fast. Each partition costs who plans and begins a query of
 * all of them, whatever it finds there (docs/decisions/retention.md).
 */
export async function findWindow(db: Database, at: Date, now: Date): Promise<Window> {
  const ids = await startsOfPartitions(db);
  if (ids.length <= fewPartitions) return everything;
  const current = ids.findLastIndex((id) => timeOf(id) <= at.getTime());
  const until = ids[current + 2] ?? lastId;
  return { since: ids[current - 1] ?? nilId, until: timeOf(until) <= now.getTime() ? until : lastId };
}

/** The first id of the partition before that of a time, where there are many; else an id before every other. */
export const findRecentStart = async (db: Database, at: Date): Promise<string> => (await findWindow(db, at, at)).since;

/**
 * Reads events the newest first: those of the partition of a time and of the one before, and all only where these have fewer
 * than wanted. `read` is given the first id to read from, and `last` says when the last one of those wanted was received.
 */
export async function readNewestFirst<Found>(
  db: Database,
  at: Date,
  read: (since: string) => Promise<Found>,
  last: (found: Found) => Date | null | undefined,
): Promise<Found> {
  const since = await findRecentStart(db, at);
  const found = await read(since);
  if (since === nilId) return found;
  const lastAt = last(found);
  // An event with an earlier id was received before, by whatever clock.
  return lastAt && lastAt.getTime() >= timeOf(since) + clockSlackMs ? found : read(nilId);
}
