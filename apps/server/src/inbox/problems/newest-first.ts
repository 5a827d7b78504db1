import type { Database } from "../../platform/database/database.ts";
import { clockSlackMs, lastId, nilId, timeOf } from "../../platform/uuid-time.ts";

const knownMs = 60_000;
/** Up to this number of partitions, a query of all of them costs little more than one of the newest. */
const fewPartitions = 4;

type Starts = { ids: readonly string[]; until: number };
const known = new WeakMap<Database, Starts>();

/** The first ids of the partitions of events, except the oldest, cached for a minute. */
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

/** A range of event ids: from `since` inclusive to `until` exclusive. */
export type Window = { since: string; until: string };
export const everything: Window = { since: nilId, until: lastId };

/**
 * A range of ids that includes the partition of a time, the one before and the one after; open-ended if the newest
 * events can be in it. Everything if there are few partitions. Planning and starting a query costs time for each
 * partition, whatever it contains (docs/decisions/retention.md).
 */
export async function findWindow(db: Database, at: Date, now: Date): Promise<Window> {
  const ids = await startsOfPartitions(db);
  if (ids.length <= fewPartitions) return everything;
  const current = ids.findLastIndex((id) => timeOf(id) <= at.getTime());
  const until = ids[current + 2] ?? lastId;
  return { since: ids[current - 1] ?? nilId, until: timeOf(until) <= now.getTime() ? until : lastId };
}

/** The first id of the partition before that of a time; if there are few partitions, an id before all others. */
export const findRecentStart = async (db: Database, at: Date): Promise<string> => (await findWindow(db, at, at)).since;

/**
 * Reads events newest first: from the partition of a time and the one before, and from all partitions only if those
 * have too few. `read` gets the first id to read from; `last` returns when the last wanted event was received, or null
 * if there are fewer.
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
  // An event with an earlier id was received earlier, whichever server's clock set the id.
  return lastAt && lastAt.getTime() >= timeOf(since) + clockSlackMs ? found : read(nilId);
}
