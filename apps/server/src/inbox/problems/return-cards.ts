import { sql } from "kysely";
import { returnTicket } from "../../board/tickets/return-ticket.ts";
import { isRolledBack } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { isOutage } from "../../platform/outage.ts";

const batchSize = 100;

/**
 * Moves the cards of reopened problems that were done or archived back to the column where they were filed: of the
 * given problems, or of all. Can be stopped at any point and run again: timestamps show which cards are still to be
 * moved. If a card cannot be moved, the others are still moved, and the error is thrown at the end.
 */
export async function returnCards(deps: Deps, problemIds?: readonly string[]): Promise<void> {
  let failure: unknown;
  const failed: string[] = [];
  for (;;) {
    const { rows } = await sql<{
      organisation_id: string;
      app_id: string;
      app_name: string;
      id: string;
      ticket_id: string;
      column_id: string | null;
      reopened_at: Date;
    }>`
      select cards.organisation_id, cards.app_id, apps.name as app_name, cards.id, cards.ticket_id, cards.column_id,
        problems.reopened_at
      from problems
      join report_cards cards on cards.app_id = problems.app_id and cards.problem_id = problems.id
      join apps on apps.id = problems.app_id
      where problems.reopened_at is not null and cards.ticket_id is not null
        and problems.reopened_at > coalesce(cards.returned_at, cards.created_at)
        and cards.id <> all(${failed}::uuid[])
        and ${problemIds ? sql`problems.id = any(${problemIds}::uuid[])` : sql`true`}
      limit ${sql.lit(batchSize)}`.execute(deps.db);
    for (const card of rows) {
      try {
        await returnTicket(deps, {
          organisationId: card.organisation_id,
          ticketId: card.ticket_id,
          columnId: card.column_id,
          app: { id: card.app_id, name: card.app_name },
        });
        await deps.db
          .updateTable("report_cards")
          .set({ returned_at: card.reopened_at })
          .where("app_id", "=", card.app_id)
          .where("id", "=", card.id)
          .execute();
      } catch (error) {
        if (isOutage(error) && !isRolledBack(error)) throw error;
        failure ??= error;
        failed.push(card.id);
      }
    }
    if (rows.length < batchSize) break;
  }
  if (failure !== undefined) throw failure;
}
