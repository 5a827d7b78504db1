import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { indexText } from "./index-texts.ts";

/** The title of a ticket whose text was erased. */
export const erasedTitle = "Erased report";
const erasedDescription = "The report text on this card was erased.";

/** A condition on `tickets` that selects tickets of an organisation. */
type Which = ReturnType<typeof sql>;

/**
 * Erases the current and earlier texts of tickets, in the search index too, and keeps everything else. Returns the
 * erased tickets and their boards, without those that were blank already.
 */
export async function blankTickets(
  tx: Transaction,
  organisationId: string,
  which: Which,
): Promise<{ ticketIds: string[]; boardIds: string[] }> {
  const { rows } = await sql<{ id: string; board_id: string | null }>`
    with blanked as (
      update tickets set title = ${erasedTitle}, description = ${erasedDescription}
      where tickets.organisation_id = ${organisationId} and ${which}
        and (title, description) is distinct from (${erasedTitle}, ${erasedDescription})
      returning organisation_id, id, column_id
    ), texts as (
      delete from ticket_texts using blanked
      where ticket_texts.organisation_id = blanked.organisation_id and ticket_texts.ticket_id = blanked.id
    ), titles as (
      update ticket_activities set details = jsonb_set(details, '{changes}', (
        select jsonb_agg(case when change ->> 'field' = 'title' then change || '{"from": null, "to": null}' else change end)
        from jsonb_array_elements(details -> 'changes') change))
      from blanked
      where ticket_activities.organisation_id = blanked.organisation_id and ticket_activities.ticket_id = blanked.id
        and kind = 'ticket.changed' and details @> '{"changes": [{"field": "title"}]}'
    ), files as (
      update ticket_activities set details = details - 'filename' from blanked
      where ticket_activities.organisation_id = blanked.organisation_id and ticket_activities.ticket_id = blanked.id
        and kind in ('ticket.attached', 'ticket.detached')
    )
    select blanked.id, columns.board_id from blanked
    left join columns on columns.organisation_id = blanked.organisation_id and columns.id = blanked.column_id`.execute(
    tx,
  );
  for (const { id } of rows) await indexText(tx, organisationId, id);
  return { ticketIds: rows.map(({ id }) => id), boardIds: boardsOf(rows) };
}

/** Replaces the title `before` on those of the tickets that have it. Returns their boards. */
export async function retitleTickets(
  tx: Transaction,
  organisationId: string,
  ticketIds: readonly string[],
  before: string,
  title: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string; board_id: string | null }>`
    with retitled as (
      update tickets set title = ${title}
      where organisation_id = ${organisationId} and id = any(${ticketIds}::uuid[]) and title = ${before}
      returning organisation_id, id, column_id
    )
    select retitled.id, columns.board_id from retitled
    left join columns on columns.organisation_id = retitled.organisation_id and columns.id = retitled.column_id`.execute(
    tx,
  );
  for (const { id } of rows) await indexText(tx, organisationId, id);
  return boardsOf(rows);
}

/** The boards of tickets; tickets in the trash have none. */
const boardsOf = (rows: readonly { board_id: string | null }[]) => [
  ...new Set(rows.flatMap(({ board_id }) => board_id ?? [])),
];
