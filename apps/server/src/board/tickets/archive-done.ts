import { sql } from "kysely";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";

const batchSize = 500;

/**
 * Archives the cards that have been done for longer than their boards keep them, and records it in their history. Can
 * be stopped at any point and run again; the worker runs it every hour.
 */
export async function archiveDone({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  for (;;) {
    const archived = await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ organisation_id: string; board_id: string; count: number }>`
        with old as materialized (
          select t.organisation_id, t.id, boards.id as board_id from tickets t
          join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
          join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
          where t.archived_at is null and t.done_at < ${now}::timestamptz - done_card_days * interval '24 hours'
            and t.done_at < ${now}::timestamptz - interval '24 hours'
          order by t.done_at limit ${batchSize} for no key update of t skip locked
        ), archived as (
          update tickets set archived_at = ${now} from old
          where tickets.organisation_id = old.organisation_id and tickets.id = old.id
        ), activity as (
          insert into ticket_activities (organisation_id, ticket_id, kind, actor_name, created_at)
          select organisation_id, id, 'ticket.archived', 'Lodge', ${now} from old
        )
        select organisation_id, board_id, count(*) as count from old group by organisation_id, board_id`.execute(tx);
      for (const { organisation_id, board_id: boardId } of rows) {
        await publish(tx, organisation_id, { kind: "board.changed", boardId });
      }
      return rows.reduce((sum, { count }) => sum + Number(count), 0);
    });
    if (archived < batchSize) return;
  }
}
