import type { WorkPage, WorkQuery } from "@lodge/contract/dashboard/work";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { isDay } from "../../platform/read-time.ts";
import { type CardRow, cardColumns, cardJoins, toCard } from "../tickets/card.ts";

const pageCards = 50;
type Row = CardRow & {
  project_id: string;
  project_name: string;
  board_id: string;
  board_name: string;
  column_name: string;
  column_is_done: boolean;
};

/** The open cards that a member is assigned to, or the others that they follow, by due date. Throws `invalid_input`. */
export async function listWork(
  { db }: Deps,
  { organisationId, userId }: Actor,
  { show = "assigned", cursor }: WorkQuery,
): Promise<WorkPage> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const assigned = sql`
    select id from tickets where organisation_id = ${organisationId} and assignee_user_id = ${userId}
      and done_at is null and archived_at is null`;
  const followed = sql`
    select id from tickets where organisation_id = ${organisationId} and author_user_id = ${userId}
      and done_at is null and archived_at is null
    union select ticket_id from comments where organisation_id = ${organisationId} and author_user_id = ${userId}
    union select ticket_id from ticket_follows
      where organisation_id = ${organisationId} and user_id = ${userId} and state = 'watching'
    except (${assigned} union select ticket_id from ticket_follows
      where organisation_id = ${organisationId} and user_id = ${userId} and state = 'muted')`;
  const due = sql`coalesce(t.due_at, 'infinity'::date)`;
  const { rows } = await sql<Row>`
    with mine as materialized (${show === "assigned" ? assigned : followed})
    select ${cardColumns}, columns.name as column_name, columns.is_done as column_is_done, boards.id as board_id,
      boards.name as board_name, projects.id as project_id, projects.name as project_name
    from mine join tickets t on t.organisation_id = ${organisationId} and t.id = mine.id ${cardJoins}
    join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
    join boards on boards.organisation_id = t.organisation_id and boards.id = columns.board_id
    join projects on projects.organisation_id = t.organisation_id and projects.id = boards.project_id
    where t.done_at is null and t.archived_at is null and ${
      after ? sql`(${due} > ${after.due}::date or ${due} = ${after.due}::date and t.id < ${after.id}::uuid)` : sql`true`
    }
    order by ${due}, t.id desc limit ${pageCards + 1}`.execute(db);
  const page = rows.slice(0, pageCards);
  const last = page.at(-1);
  return {
    cards: page.map((row) => ({
      ...toCard(row),
      project: { id: row.project_id, name: row.project_name },
      board: { id: row.board_id, name: row.board_name },
      column: { id: row.column_id, name: row.column_name, isDone: row.column_is_done },
    })),
    nextCursor: last && rows.length > pageCards ? `${last.due_at ?? "infinity"}_${last.id}` : null,
  };
}

const cursorPattern = /^(infinity|\d{4}-\d{2}-\d{2})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(cursor: string): { due: string; id: string } {
  const [, due, id] = cursorPattern.exec(cursor) ?? [];
  if (!due || !id || (due !== "infinity" && !isDay(due))) {
    throw invalidInput([{ path: "/cursor", message: "must be the nextCursor of an earlier answer" }]);
  }
  return { due, id };
}
