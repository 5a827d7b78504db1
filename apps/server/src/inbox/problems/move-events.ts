import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { takeOutOfHashes } from "./erase-from-problems.ts";
import { groupedLengthMax } from "./grouping.ts";
import { identifyPerson } from "./identify-person.ts";
import { readOriginalError } from "./original-error.ts";
import { parseEnvelope } from "./readable.ts";
import { digestOf, summariseEvent } from "./summarise-event.ts";

const facetsOfHashMax = 600;
const textsOfHashMax = 50;

/** The distinct search texts of events: their messages, and the names in their stacks. */
export type Texts = { digest: string; text: string; isOfStack: boolean }[];

/** Reads the search texts of events from their envelopes, one after another. */
export async function readTexts(deps: Deps, appId: string, eventIds: readonly string[]): Promise<Texts> {
  const texts = new Map<string, Texts[number]>();
  const add = (digest: string, text: string, isOfStack: boolean) => texts.set(digest, { digest, text, isOfStack });
  for (const id of eventIds) {
    const { rows } = await sql<{ envelope: Buffer }>`
      select envelope from events where app_id = ${appId} and id = ${id}`.execute(deps.db);
    if (!rows[0]) continue;
    await new Promise(setImmediate);
    const envelope = parseEnvelope(rows[0].envelope);
    const { read } = await readOriginalError(deps, appId, envelope, groupedLengthMax);
    const { searchDigest, searchText, stackText } = summariseEvent(appId, envelope, 0, read);
    add(searchDigest, searchText, false);
    if (stackText !== "") add(digestOf(stackText), stackText, true);
  }
  return [...texts.values()];
}

type Moved = { id: string; install: string | null; userId: string | null; userEmail: string | null };

/**
 * Moves events of a hash to another, existing hash, with everything that is summed up from them. Returns how many
 * events still existed. The caller must sum up the problems of both hashes afterwards, and prevent others from counting
 * events of the app meanwhile.
 */
export async function moveEvents(
  tx: Transaction,
  appId: string,
  { from, to, eventIds }: { from: string; to: string; eventIds: readonly string[] },
  texts: Texts,
): Promise<number> {
  const { rows: events } = await sql<Moved>`
    select event_id as id, install, user_id as "userId", user_email as "userEmail" from event_summaries
    where app_id = ${appId} and event_id = any(${eventIds}::uuid[]) and hash = ${from}`.execute(tx);
  if (events.length === 0) return 0;
  const ids = events.map(({ id }) => id);
  await takeOutOfHashes(
    tx,
    appId,
    ids,
    texts.flatMap(({ digest, isOfStack }) => (isOfStack ? [] : [digest])),
  );
  await sql`
    update event_summaries set hash = ${to} where app_id = ${appId} and event_id = any(${ids}::uuid[])`.execute(tx);
  await addToHash(tx, appId, to, ids);
  const users = events.flatMap((event) => identifyPerson(appId, event) ?? []);
  await sql`
    with seen as (
      insert into problem_users (app_id, hash, person, level)
      select h.app_id, h.hash, person, level
      from (select distinct id as person, level from json_to_recordset(${JSON.stringify(users)}) as u(id uuid, level smallint)) u
      join problem_hashes h on h.app_id = ${appId} and h.hash = ${to} and level >= h.user_level
      on conflict do nothing returning person
    )
    update problem_hashes set users_kept = users_kept + (select count(*) from seen)
    where app_id = ${appId} and hash = ${to}`.execute(tx);
  await sql`
    insert into problem_texts (app_id, hash, digest, search_text)
    select ${appId}::uuid, ${to}::uuid, digest, text from json_to_recordset(${JSON.stringify(texts)}) as t(digest uuid, text text)
    where (select count(*) from problem_texts known where known.app_id = ${appId} and known.hash = ${to})
      < ${sql.lit(textsOfHashMax)}
    on conflict do nothing`.execute(tx);
  // Deleted events occurred too, at unknown times.
  await sql`
    update problem_hashes h set
      first_seen_at = case when h.dropped_count = 0 then coalesce(seen.first, h.first_seen_at) else h.first_seen_at end,
      last_seen_at = coalesce(seen.last, h.last_seen_at)
    from (select min(received_at) as first, max(received_at) as last from event_summaries
      where app_id = ${appId} and hash = ${from}) seen
    where h.app_id = ${appId} and h.hash = ${from}`.execute(tx);
  return ids.length;
}

async function addToHash(tx: Transaction, appId: string, hash: string, eventIds: readonly string[]): Promise<void> {
  const moved = sql`(select * from event_summaries where app_id = ${appId} and event_id = any(${eventIds}::uuid[]))`;
  await sql`
    update problem_hashes h set event_count = h.event_count + moved.count,
      first_seen_at = case when h.event_count = 0 then moved.first else least(h.first_seen_at, moved.first) end,
      last_seen_at = case when h.event_count = 0 then moved.last else greatest(h.last_seen_at, moved.last) end
    from (select count(*) as count, min(received_at) as first, max(received_at) as last from ${moved} m) moved
    where h.app_id = ${appId} and h.hash = ${hash}`.execute(tx);
  await sql`
    insert into problem_facets as kept (app_id, hash, facet, event_count, first_seen_at, last_seen_at)
    select ${appId}::uuid, ${hash}::uuid, facet, count(*), min(received_at), max(received_at) from ${moved} m, unnest(facets) facet
    where exists (select from problem_facets known
        where known.app_id = ${appId} and known.hash = ${hash} and known.facet = facet)
      or (select count(*) from problem_facets known where known.app_id = ${appId} and known.hash = ${hash})
        < ${sql.lit(facetsOfHashMax)}
    group by facet
    on conflict (app_id, hash, facet) do update set event_count = kept.event_count + excluded.event_count,
      first_seen_at = least(kept.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)`.execute(tx);
  await sql`
    insert into problem_installs (app_id, hash, install)
    select distinct ${appId}::uuid, ${hash}::uuid, install from ${moved} m where install is not null
    on conflict do nothing`.execute(tx);
  await sql`
    insert into problem_days as kept (app_id, hash, day, event_count)
    select ${appId}::uuid, ${hash}::uuid, (received_at at time zone 'UTC')::date, count(*) from ${moved} m group by 3
    on conflict (app_id, hash, day) do update set event_count = kept.event_count + excluded.event_count`.execute(tx);
}
