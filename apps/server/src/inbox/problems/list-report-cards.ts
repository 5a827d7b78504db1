import type { ReportCard } from "@lodge/contract/dashboard/inbox";
import { type RawBuilder, sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const cardsMax = 50;

/** The tickets of an organisation that meet a condition on `tickets`, at most 50, as cards of a problem or event. */
export async function listReportCards(
  { db, urls }: Deps,
  organisationId: string,
  condition: RawBuilder<unknown>,
): Promise<ReportCard[]> {
  const { rows } = await sql<Omit<ReportCard, "url">>`
    select tickets.id as "ticketId", tickets.title, boards.id as "boardId", boards.name as board, columns.name as column,
      tickets.done_at is not null as "isDone", tickets.archived_at is not null as "isArchived"
    from tickets
    join columns on columns.organisation_id = tickets.organisation_id and columns.id = tickets.column_id
    join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
    where tickets.organisation_id = ${organisationId} and ${condition}
    order by tickets.id limit ${sql.lit(cardsMax)}`.execute(db);
  return rows.map((row) => ({ ...row, url: `${urls.base}/tickets/${row.ticketId}` }));
}

/** The condition that tickets are cards of a problem. */
export const ofProblem = (appId: string, problemId: string) =>
  sql`tickets.id in (select ticket_id from report_cards where app_id = ${appId} and problem_id = ${problemId})`;

/**
 * The condition that tickets of an organisation are cards of an event itself: created by members, or filed by a
 * delivery of it.
 */
export const ofEvent = (organisationId: string, appId: string, eventId: string) =>
  // Not two conditions joined by `or`, which would read every ticket.
  sql`tickets.id in (
    select ticket_id from report_cards where app_id = ${appId} and event_id = ${eventId}
    union all
    select filed.id from deliveries join tickets filed
      on filed.organisation_id = ${organisationId} and filed.delivery_id = deliveries.id
    where deliveries.app_id = ${appId} and deliveries.event_id = ${eventId})`;
