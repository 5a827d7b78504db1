import type { Card } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { type Repeating, repeat } from "../../platform/repeat.ts";

const batchSize = 500;
const batchesOfRunMax = 40;
/** The ticket API promises a number within five seconds. */
const numberEveryMs = 2_000;

/**
 * Numbers the organisation's unnumbered tickets in the order in which they were filed, at most 500. Returns how many.
 * Concurrent calls wait for each other; filing waits for nobody (docs/decisions/ticket-numbers.md).
 */
function numberTickets({ db }: Pick<Deps, "db">, organisationId: string): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`ticket numbers of ${organisationId}`}, 0))`.execute(tx);
    // A ticket can be committed some time after its id was made, so the last ten minutes are checked again.
    const { numAffectedRows } = await sql`
      with last as (
        select uuid_extract_timestamp(ticket_id) - interval '10 minutes' as at from ticket_numbers
        where organisation_id = ${organisationId} order by ticket_id desc limit 1
      ), unnumbered as materialized (
        select t.id, coalesce(boards.project_id, t.deleted_project_id) as project_id from tickets t
        left join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
        left join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
        where t.organisation_id = ${organisationId}
          and t.id >= coalesce((
            select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
            from last), '00000000-0000-0000-0000-000000000000')
          and not exists (
            select from ticket_numbers
            where ticket_numbers.organisation_id = t.organisation_id and ticket_numbers.ticket_id = t.id)
        order by t.id limit ${batchSize}
      )
      insert into ticket_numbers (organisation_id, project_id, number, ticket_id)
      select ${organisationId}, project_id, row_number() over (partition by project_id order by id) + coalesce((
        select number from ticket_numbers
        where organisation_id = ${organisationId} and ticket_numbers.project_id = unnumbered.project_id
        order by number desc limit 1), 0), id
      from unnumbered`.execute(tx);
    return Number(numAffectedRows ?? 0);
  });
}

/** Numbers tickets within seconds of filing, until it is stopped. Runs in each worker. */
export const keepNumbering = (deps: Pick<Deps, "db" | "log">): Repeating =>
  repeat(
    numberEveryMs,
    () => numberAllTickets(deps),
    (error) => deps.log.warn({ err: error }, "tickets could not be numbered"),
  );

/** The same for every organisation, at most 20,000 tickets of each. */
export async function numberAllTickets(deps: Pick<Deps, "db" | "log">): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from organisations
    where (select tickets.id from tickets where organisation_id = organisations.id order by tickets.id desc limit 1)
      > coalesce((
        select ticket_id from ticket_numbers where organisation_id = organisations.id order by ticket_id desc limit 1),
        '00000000-0000-0000-0000-000000000000')`.execute(deps.db);
  await eachByItself(deps, "numbering tickets", rows, async ({ id }) => {
    for (let batch = 0; batch < batchesOfRunMax; batch++) {
      if ((await numberTickets(deps, id)) < batchSize) break;
    }
  });
}

/**
 * The same cards, with numbers for those that had none; cards of a long backlog get theirs later. Within a
 * transaction none are given, since others would have to wait.
 */
export async function withNumbers<Numbered extends Pick<Card, "id" | "number">>(
  db: Database,
  organisationId: string,
  cards: Numbered[],
): Promise<Numbered[]> {
  const ids = cards.filter(({ number }) => number === null).map(({ id }) => id);
  if (ids.length === 0 || db.isTransaction) return cards;
  await numberTickets({ db }, organisationId);
  const { rows } = await sql<{ id: string; number: string }>`
    select ticket_id as id, upper(projects.slug) || '-' || number as number
    from ticket_numbers
    join projects on projects.organisation_id = ticket_numbers.organisation_id and projects.id = project_id
    where ticket_numbers.organisation_id = ${organisationId} and ticket_id = any(${ids}::uuid[])`.execute(db);
  const numberOf = new Map(rows.map(({ id, number }) => [id, number]));
  return cards.map((card) => ({ ...card, number: card.number ?? numberOf.get(card.id) ?? null }));
}
