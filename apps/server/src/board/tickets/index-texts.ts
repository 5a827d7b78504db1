import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";

const batchSize = 2_000;
const batchesOfRunMax = 50;

/** A description, if `ticket_search` covers it: longer ones have their own index (migrations/0009_tickets.sql). */
const searchedDescription = sql`case when octet_length(description) <= 2000 then description else '' end`;

/** Updates a ticket in the search index, in the transaction that changes it. */
export async function indexText(tx: Transaction, organisationId: string, ticketId: string): Promise<void> {
  await sql`
    insert into ticket_search (organisation_id, ticket_id, title, description)
    select organisation_id, id, title, ${searchedDescription} from tickets
    where organisation_id = ${organisationId} and id = ${ticketId}
    on conflict (organisation_id, ticket_id) do update
    set title = excluded.title, description = excluded.description`.execute(tx);
}

/**
 * Adds the tickets that were filed since the last run to the search index, at most 100,000 of each organisation. The
 * worker runs it every minute; filing neither writes the index nor waits for it (docs/decisions/search.md).
 */
export async function indexAllTexts(deps: Pick<Deps, "db" | "log">): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from organisations
    where (select tickets.id from tickets where organisation_id = organisations.id order by tickets.id desc limit 1)
      > coalesce((
        select indexed_until from ticket_search_progress where organisation_id = organisations.id),
        '00000000-0000-0000-0000-000000000000')`.execute(deps.db);
  await eachByItself(deps, "indexing tickets", rows, async ({ id }) => {
    for (let batch = 0; batch < batchesOfRunMax; batch++) {
      if ((await indexTexts(deps.db, id)) < batchSize) break;
    }
  });
}

/** Indexes the next 2,000 tickets of an organisation. Does not undo concurrent changes. Returns how many. */
function indexTexts(db: Database, organisationId: string): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ count: number }>`
      with last as (
        select uuid_extract_timestamp(indexed_until) - interval '10 minutes' as at from ticket_search_progress
        where organisation_id = ${organisationId}
      ), unindexed as materialized (
        select id, title, ${searchedDescription} as description from tickets
        where organisation_id = ${organisationId}
          and id >= coalesce((
            select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
            from last), '00000000-0000-0000-0000-000000000000')
          and not exists (
            select from ticket_search
            where ticket_search.organisation_id = tickets.organisation_id and ticket_search.ticket_id = tickets.id)
        order by id limit ${batchSize}
      ), indexed as (
        insert into ticket_search (organisation_id, ticket_id, title, description)
        select ${organisationId}, id, title, description from unindexed
        on conflict (organisation_id, ticket_id) do nothing
      ), noted as (
        insert into ticket_search_progress (organisation_id, indexed_until)
        select ${organisationId}, id from unindexed order by id desc limit 1
        on conflict (organisation_id) do update
        set indexed_until = greatest(ticket_search_progress.indexed_until, excluded.indexed_until)
      )
      select count(*) as count from unindexed`.execute(tx);
    return Number(rows[0]?.count ?? 0);
  });
}
