import { sql } from "kysely";
import { eraseToldOfProblems } from "../../people/notifications/erase-told.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import { noError } from "../stacks/read-error.ts";
import { identifyPerson } from "./identify-person.ts";
import { holdReading } from "./read-events.ts";
import { parseEnvelope } from "./readable.ts";
import { sumUp } from "./regroup-problems.ts";
import { summariseEvent } from "./summarise-event.ts";

/** The number of latest events of a hash that are searched for one with the same text as an erased one. */
const lookedAtMax = 1_000;

const summariesOf = (appId: string, eventIds: readonly string[]) =>
  sql`(select * from event_summaries where app_id = ${appId} and event_id = any(${eventIds}::uuid[]))`;

/** A problem that has lost events, with its cards. `title` is null if the problem was deleted with its last event. */
export type ErasedFrom = { titleBefore: string; title: string | null; ticketIds: string[] };

/**
 * Removes events from everything that was summed up from them, in the transaction that deletes them: counts, charts,
 * facets, installs, search texts, and the title of a problem if it came from them. A problem without events is deleted.
 * `textDigests` are the digests of the events' search texts. Waits until nobody reads events of the app.
 */
export async function eraseFromProblems(
  tx: Transaction,
  organisationId: string,
  appId: string,
  eventIds: readonly string[],
  textDigests: readonly string[],
): Promise<ErasedFrom[]> {
  await holdReading(tx, appId);
  // A regrouping stores titles of reports, for its preview and for undo.
  await tx.deleteFrom("regroupings").where("app_id", "=", appId).execute();
  const gone = summariesOf(appId, eventIds);
  const { rows: problems } = await sql<{ id: string; title: string; was_told: boolean; ticket_ids: string[] }>`
    select p.id, p.title, bool_or(gone.event_id = p.first_event_id or gone.title = p.title) as was_told,
      array(select ticket_id from report_cards c where c.app_id = ${appId} and c.problem_id = p.id and ticket_id is not null)
        as ticket_ids
    from ${gone} gone
    join problem_hashes h on h.app_id = gone.app_id and h.hash = gone.hash
    join problems p on p.app_id = h.app_id and p.id = h.problem_id
    group by p.id, p.title order by p.id`.execute(tx);

  await sql`
    update app_facets f set event_count = f.event_count - lost.count
    from (select facet, count(*) as count from ${gone} gone, unnest(facets) facet group by facet) lost
    where f.app_id = ${appId} and f.facet = lost.facet`.execute(tx);
  await sql`delete from app_facets where app_id = ${appId} and event_count <= 0`.execute(tx);
  await sql`
    delete from app_releases r where app_id = ${appId} and not exists (
      select from app_facets f where f.app_id = r.app_id and f.facet = 'version:' || r.version)`.execute(tx);
  await takeOutOfHashes(tx, appId, eventIds, textDigests);
  await sql`
    update app_hours h set event_count = h.event_count - lost.count
    from (select kind, date_bin('1 hour', received_at, 'epoch') as hour, count(*) as count from ${gone} gone group by 1, 2) lost
    where h.app_id = ${appId} and h.kind = lost.kind and h.hour = lost.hour`.execute(tx);
  await sql`
    delete from problem_hashes h using ${gone} gone
    where h.app_id = ${appId} and h.hash = gone.hash and h.event_count <= 0`.execute(tx);
  await sql`delete from unread_events where app_id = ${appId} and event_id = any(${eventIds}::uuid[])`.execute(tx);
  await sql`delete from event_summaries where app_id = ${appId} and event_id = any(${eventIds}::uuid[])`.execute(tx);

  const told = problems.filter(({ was_told }) => was_told).map(({ id }) => id);
  if (told.length > 0) await eraseToldOfProblems(tx, organisationId, told);

  const erased: ErasedFrom[] = [];
  for (const { id, title: titleBefore, was_told, ticket_ids: ticketIds } of problems) {
    const title = await sumUpRest(tx, appId, id, was_told ? undefined : titleBefore);
    erased.push({ titleBefore, title, ticketIds });
    await publish(tx, organisationId, { kind: "problem.changed", appId, problemId: id });
  }
  await publish(tx, organisationId, { kind: "inbox.changed", appId });
  return erased;
}

/**
 * Removes events from what is summed up for their hashes: facets, installs, users, texts and counts. `textDigests` are
 * the digests of the events' search texts.
 */
export async function takeOutOfHashes(
  tx: Transaction,
  appId: string,
  eventIds: readonly string[],
  textDigests: readonly string[],
): Promise<void> {
  const gone = summariesOf(appId, eventIds);
  await sql`
    update problem_facets f set event_count = f.event_count - lost.count
    from (select hash, facet, count(*) as count from ${gone} gone, unnest(facets) facet where hash is not null group by 1, 2) lost
    where f.app_id = ${appId} and f.hash = lost.hash and f.facet = lost.facet`.execute(tx);
  await sql`
    delete from problem_facets f using ${gone} gone
    where f.app_id = ${appId} and f.hash = gone.hash and f.event_count <= 0`.execute(tx);
  await sql`
    delete from problem_installs i using ${gone} gone
    where i.app_id = ${appId} and i.hash = gone.hash and i.install = gone.install and not exists (
      select from event_summaries other
      where other.app_id = i.app_id and other.install = i.install and other.hash = i.hash
        and other.event_id <> all(${eventIds}::uuid[]))`.execute(tx);
  await forgetUsers(tx, appId, eventIds);
  await sql`
    delete from problem_texts t using ${gone} gone
    where t.app_id = ${appId} and t.hash = gone.hash and t.digest = any(${textDigests}::uuid[])`.execute(tx);
  await keepTextsOfOthers(tx, appId, eventIds);
  await sql`
    update problem_days d set event_count = d.event_count - lost.count
    from (select hash, (received_at at time zone 'UTC')::date as day, count(*) as count from ${gone} gone
      where hash is not null group by 1, 2) lost
    where d.app_id = ${appId} and d.hash = lost.hash and d.day = lost.day`.execute(tx);
  await sql`
    update problem_hashes h set event_count = h.event_count - lost.count
    from (select hash, count(*) as count from ${gone} gone where hash is not null group by hash) lost
    where h.app_id = ${appId} and h.hash = lost.hash`.execute(tx);
}

/**
 * Sums a problem up again, and gives it the title of its first remaining event. Deletes it if none of its hashes has
 * events left.
 */
async function sumUpRest(tx: Transaction, appId: string, id: string, kept: string | undefined): Promise<string | null> {
  const { rows: left } = await sql`
    select from problem_hashes where app_id = ${appId} and problem_id = ${id} and event_count > 0 limit 1`.execute(tx);
  if (left.length === 0) {
    await tx.deleteFrom("problems").where("app_id", "=", appId).where("id", "=", id).execute();
    return null;
  }
  await sumUp(tx, appId, id);
  if (kept !== undefined) return kept;
  const { rows } = await sql<{ title: string }>`
    update problems p set title = coalesce(
      (select title from event_summaries e where e.app_id = p.app_id and e.event_id = p.first_event_id), p.kind)
    where app_id = ${appId} and id = ${id} returning title`.execute(tx);
  return rows[0]?.title ?? null;
}

/**
 * Keeps search texts that other events share with the erased ones: for each text, looks for one other event with the
 * same title and message.
 */
async function keepTextsOfOthers(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  const { rows: alike } = await sql<{ hash: string; event_id: string }>`
    select gone.hash, other.event_id from (
      select distinct hash, title, message from event_summaries
      where app_id = ${appId} and event_id = any(${eventIds}::uuid[]) and hash is not null
    ) gone cross join lateral (
      select event_id from (
        select event_id, title, message from event_summaries e
        where e.app_id = ${appId} and e.hash = gone.hash and event_id <> all(${eventIds}::uuid[])
        order by e.received_at desc, e.event_id desc limit ${sql.lit(lookedAtMax)}
      ) latest
      where title = gone.title and message = gone.message limit 1
    ) other`.execute(tx);
  for (const { hash, event_id: id } of alike) {
    const { rows } = await sql<{ envelope: Buffer }>`
      select envelope from events where app_id = ${appId} and id = ${id}`.execute(tx);
    if (!rows[0]) continue;
    const { searchDigest, searchText } = summariseEvent(appId, parseEnvelope(rows[0].envelope), 0, noError);
    await sql`
      insert into problem_texts (app_id, hash, digest, search_text) values (${appId}, ${hash}, ${searchDigest}, ${searchText})
      on conflict do nothing`.execute(tx);
  }
}

/** Removes the users of events that are about to be deleted, unless other events of the same hash name them too. */
async function forgetUsers(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  const other = sql`select from event_summaries other
    where other.app_id = gone.app_id and other.hash = gone.hash and other.event_id <> all(${eventIds}::uuid[])`;
  const { rows } = await sql<{
    hash: string;
    userId: string | null;
    userEmail: string | null;
    install: string | null;
  }>`
    select distinct gone.hash, gone.user_id as "userId", gone.user_email as "userEmail", gone.install
    from event_summaries gone
    where gone.app_id = ${appId} and gone.event_id = any(${eventIds}::uuid[]) and gone.hash is not null and not case
      when gone.user_id <> '' then exists (${other} and other.user_id = gone.user_id)
      when gone.user_email <> ''
        then exists (${other} and lower(other.user_email) = lower(gone.user_email) and coalesce(other.user_id, '') = '')
      else exists (${other} and other.install = gone.install and coalesce(other.user_id, other.user_email, '') = '')
    end`.execute(tx);
  const seen = rows.flatMap(({ hash, ...user }) => {
    const person = identifyPerson(appId, user);
    return person ? [{ hash, person: person.id }] : [];
  });
  await sql`
    with forgotten as (
      delete from problem_users u using json_to_recordset(${JSON.stringify(seen)}) as seen(hash uuid, person uuid)
      where u.app_id = ${appId} and u.hash = seen.hash and u.person = seen.person
      returning u.hash
    )
    update problem_hashes h set users_kept = users_kept - lost.count
    from (select hash, count(*) as count from forgotten group by hash) lost
    where h.app_id = ${appId} and h.hash = lost.hash`.execute(tx);
}
