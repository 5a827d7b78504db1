import { sql } from "kysely";
import { moveNotices } from "../../people/notifications/move-notices.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { moveImages } from "../images/move-images.ts";
import type { TicketRow } from "./read-ticket.ts";

/** The comments, occurrences and problem that were moved from one ticket to another. */
export type Merged = { commentIds: string[]; occurrences: number; problem: boolean };

/** The problem of the ticket `id`, if no other open ticket has it. */
const problemIfFree = (id: string, problem: string | null, projectId: string | null) => sql<string | null>`
  case when not exists (
    select from tickets other
    where other.organisation_id = tickets.organisation_id and other.problem_project_id = ${projectId}
      and other.problem = ${problem} and other.archived_at is null and other.done_at is null
      and other.id <> ${id}) then ${problem}::text end`;

/**
 * Moves the comments of a closed ticket to another one, with their images, and its occurrences; and its problem, if the
 * other one has none and is in the same project, so that the next occurrence counts there. Both must be locked.
 */
export async function mergeTicket(
  tx: Transaction,
  organisationId: string,
  from: TicketRow,
  into: TicketRow,
): Promise<Merged> {
  const commentIds = await moveComments(tx, organisationId, from.id, into.id);
  if (from.problem === null) return { commentIds, occurrences: 0, problem: false };
  const takesProblem = into.problem === null && into.project_id === from.project_id;
  const { rows } = await sql<{ problem: string | null; projectId: string | null }>`
    update tickets set occurrences = 1 ${takesProblem ? sql`, problem = null` : sql``}
    where organisation_id = ${organisationId} and id = ${from.id}
    returning old.problem, old.problem_project_id as "projectId"`.execute(tx);
  const { problem = null, projectId = null } = rows[0] ?? {};
  const taken = sql`, problem = ${problemIfFree(into.id, problem, projectId)}, problem_project_id = ${projectId}`;
  await sql`
    update tickets set occurrences = ${from.occurrences} + case when problem is null then 0 else occurrences end,
      occurred_at = greatest(occurred_at, ${from.occurred_at}) ${takesProblem ? taken : sql``}
    where organisation_id = ${organisationId} and id = ${into.id}`.execute(tx);
  return { commentIds, occurrences: from.occurrences, problem: takesProblem };
}

/**
 * Moves back what `mergeTicket` has moved, from the tickets that have it now: in a chain of merges, the last one counts
 * the occurrences. All must be locked.
 */
export async function unmergeTicket(
  tx: Transaction,
  organisationId: string,
  ticketId: string,
  holderIds: readonly string[],
  merged: Merged,
): Promise<{ movedComments: number }> {
  let movedComments = 0;
  for (const holderId of holderIds) {
    movedComments += (await moveComments(tx, organisationId, holderId, ticketId, merged.commentIds)).length;
  }
  if (merged.occurrences === 0) return { movedComments };
  const { rows } = await sql<{ problem: string | null; projectId: string | null }>`
    update tickets set occurrences = greatest(1, occurrences - ${merged.occurrences})
      ${merged.problem ? sql`, problem = null` : sql``}
    where organisation_id = ${organisationId} and id = ${holderIds.at(-1) ?? null}
    returning old.problem, old.problem_project_id as "projectId"`.execute(tx);
  const { problem = null, projectId = null } = rows[0] ?? {};
  const returned = sql`, problem = ${problemIfFree(ticketId, problem, projectId)}, problem_project_id = ${projectId}`;
  await sql`
    update tickets set occurrences = occurrences - 1 + ${merged.occurrences} ${merged.problem ? returned : sql``}
    where organisation_id = ${organisationId} and id = ${ticketId}`.execute(tx);
  return { movedComments };
}

/** Moves all or the given comments of a ticket to another one. Returns their ids. */
async function moveComments(
  tx: Transaction,
  organisationId: string,
  fromId: string,
  intoId: string,
  commentIds?: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update comments set ticket_id = ${intoId}
    where organisation_id = ${organisationId} and ticket_id = ${fromId}
      ${commentIds ? sql`and id = any(${commentIds}::uuid[])` : sql``}
    returning id`.execute(tx);
  if (rows.length > 0) {
    await moveImages(tx, organisationId, fromId, intoId);
    await moveNotices(tx, organisationId, fromId, intoId);
  }
  return rows.map(({ id }) => id);
}

/** Moves a card back to its exact position in its column, if it is in that column. */
export async function putAt(
  tx: Transaction,
  organisationId: string,
  ticketId: string,
  { columnId, position }: { columnId: string; position: string },
): Promise<void> {
  await sql`
    update tickets set position = ${position}
    where organisation_id = ${organisationId} and id = ${ticketId} and column_id = ${columnId}`.execute(tx);
}
