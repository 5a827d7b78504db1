import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const announcedMax = 100;

/** Notifies dashboards of the cards of problems whose counts have changed, at most 100 cards. */
export async function announceCards(
  { db, announce }: Deps,
  problems: readonly { app_id: string; problem_id: string }[],
): Promise<void> {
  if (problems.length === 0) return;
  const { rows } = await sql<{ organisationId: string; ticketId: string; boardId: string; columnId: string }>`
    select cards.organisation_id as "organisationId", tickets.id as "ticketId", columns.board_id as "boardId",
      columns.id as "columnId"
    from unnest(${problems.map(({ app_id }) => app_id)}::uuid[], ${problems.map(({ problem_id }) => problem_id)}::uuid[])
      as changed (app_id, problem_id)
    join report_cards cards using (app_id, problem_id)
    join tickets on tickets.organisation_id = cards.organisation_id and tickets.id = cards.ticket_id
    join columns on columns.organisation_id = tickets.organisation_id and columns.id = tickets.column_id
    where tickets.archived_at is null limit ${sql.lit(announcedMax)}`.execute(db);
  for (const { organisationId, ...ids } of rows) announce(organisationId, { kind: "ticket.changed", ...ids });
}
