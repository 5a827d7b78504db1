import type { RestoredTickets } from "@lodge/contract/dashboard/trash";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readCards } from "./card.ts";
import { recordActivity } from "./record-activity.ts";
import { reopening } from "./reopening.ts";

type Trashed = { id: string; projectId: string; boardId: string; columnId: string };
type Target = { id: string; boardId: string; isDone: boolean };

/**
 * Restores tickets from the trash to their place, all or none: into their column or, if that is gone, the first one of
 * their board or project. A done card counts as done from now on, and a card whose problem has another open card is
 * detached from the problem. Throws `ticket_not_found`, or `column_not_found` if their project has no column.
 */
export async function restoreTickets(deps: Deps, actor: Actor, ticketIds: string[]): Promise<RestoredTickets> {
  const { organisationId } = actor;
  const ids = [...new Set(ticketIds.map((id) => id.toLowerCase()))];
  const { cards, boardOf } = await reopening(deps.db, async (tx) => {
    const trashed = await lockTrashed(tx, organisationId, ids);
    const targets = new Map<string, Target>();
    for (const ticket of trashed) {
      const target = targets.get(ticket.columnId) ?? (await findTarget(tx, organisationId, ticket));
      targets.set(ticket.columnId, target);
      await putBack(tx, organisationId, ticket.id, target, deps.clock.now());
      await recordActivity(deps, tx, actor, ticket.id, { kind: "ticket.undeleted" });
    }
    const boardOf = new Map([...targets.values()].map(({ id, boardId }) => [id, boardId]));
    return { cards: await readCards(tx, organisationId, ids), boardOf };
  });
  for (const { id: ticketId, columnId } of cards) {
    const boardId = boardOf.get(columnId) ?? "";
    deps.announce(organisationId, { kind: "ticket.restored", ticketId, boardId, columnId });
  }
  return { cards };
}

async function lockTrashed(tx: Transaction, organisationId: string, ids: string[]): Promise<Trashed[]> {
  const { rows } = await sql<Trashed>`
    select id, deleted_project_id as "projectId", deleted_board_id as "boardId", deleted_column_id as "columnId"
    from tickets
    where organisation_id = ${organisationId} and id = any(${ids}::uuid[]) and deleted_project_id is not null
    order by id for no key update`.execute(tx);
  if (rows.length < ids.length) throw new Refusal("ticket_not_found");
  return rows;
}

/** Locks the column, so that nobody deletes it meanwhile. */
async function findTarget(tx: Transaction, organisationId: string, { projectId, boardId, columnId }: Trashed) {
  const { rows } = await sql<Target>`
    select columns.id, board_id as "boardId", is_done as "isDone" from columns
    join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
    where columns.organisation_id = ${organisationId} and boards.project_id = ${projectId}
    order by columns.id = ${columnId} desc, boards.id = ${boardId} desc, boards.position, boards.id, is_done,
      columns.position, columns.id
    limit 1 for key share of columns`.execute(tx);
  if (!rows[0]) throw new Refusal("column_not_found");
  return rows[0];
}

async function putBack(tx: Transaction, organisationId: string, ticketId: string, target: Target, now: Date) {
  await sql`
    update tickets set column_id = ${target.id},
      done_at = case when ${target.isDone} or done_at is not null then ${now}::timestamptz end,
      problem = case when ${target.isDone} or done_at is not null or archived_at is not null or not exists (
        select from tickets other
        where other.organisation_id = tickets.organisation_id and other.problem_project_id = tickets.problem_project_id
          and other.problem = tickets.deleted_problem and other.archived_at is null and other.done_at is null
      ) then deleted_problem end,
      deleted_at = null, deleted_by = null, deleted_project_id = null, deleted_board_id = null, deleted_column_id = null,
      deleted_problem = null
    where organisation_id = ${organisationId} and id = ${ticketId}`.execute(tx);
}
