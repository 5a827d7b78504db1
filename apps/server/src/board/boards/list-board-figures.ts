import type { BoardFigures } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { searches } from "./list-cards.ts";

type Row = { id: string; cards: number; open_cards: number; last_activity_at: Date | null };

/** Counts the cards of every board of the organisation. Throws `rate_limit_exceeded` if it reads too much at once. */
export async function listBoardFigures({ db }: Deps, { organisationId }: Actor): Promise<BoardFigures> {
  // It reads every card, so it counts as a search.
  const { rows } = await searches(organisationId, () =>
    sql<Row>`
      select boards.id, count(t.id) as cards, count(t.id) filter (where t.done_at is null) as open_cards,
        max(coalesce(latest.created_at, t.created_at)) as last_activity_at
      from boards
      left join columns on columns.organisation_id = boards.organisation_id and columns.board_id = boards.id
      left join tickets t on t.organisation_id = columns.organisation_id and t.column_id = columns.id
        and t.archived_at is null
      left join lateral (
        select created_at from ticket_activities
        where ticket_activities.organisation_id = t.organisation_id and ticket_activities.ticket_id = t.id
        order by ticket_activities.id desc limit 1
      ) latest on true
      where boards.organisation_id = ${organisationId}
      group by boards.id`.execute(db),
  );
  return {
    boards: rows.map((row) => ({
      id: row.id,
      cardCount: row.cards,
      openCardCount: row.open_cards,
      lastActivityAt: row.last_activity_at?.toISOString() ?? null,
    })),
  };
}
