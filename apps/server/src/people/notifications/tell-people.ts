import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { followersOf } from "./followers.ts";

/** The author of an event that others are notified of: a person, or an API token, which is not a user. */
type Doer = { organisationId: string; userId: string | null; name: string };

/**
 * Notifies people who follow a ticket or are mentioned in a comment, in the transaction that writes the comment, except
 * its author and former members. Returns their ids.
 */
export async function tellOfComment(
  tx: Transaction,
  { organisationId, userId, name }: Doer,
  { ticketId, commentId, at }: { ticketId: string; commentId: string; at: Date },
  mentionedIds: string[],
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    insert into notices (organisation_id, user_id, kind, ticket_id, comment_id, actor_name, created_at)
    select members.organisation_id, members.user_id,
      case when members.user_id = any(${mentionedIds}::uuid[]) then 'mentioned' else 'commented' end, ${ticketId},
      ${commentId}, ${name}, ${at}
    from members join organisations on organisations.id = members.organisation_id
    where members.organisation_id = ${organisationId} and members.user_id is distinct from ${userId}::uuid
      and members.user_id <> organisations.agent_user_id
      and members.user_id in (
        select unnest(${mentionedIds}::uuid[]) union (${followersOf(organisationId, ticketId)}))
    returning user_id`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

/** Notifies a member of an assignment, in its transaction, unless they assigned themselves. */
export async function tellAssignee(
  tx: Transaction,
  { organisationId, userId, name }: Doer,
  { ticketId, assigneeUserId, at }: { ticketId: string; assigneeUserId: string; at: Date },
): Promise<void> {
  if (assigneeUserId === userId) return;
  await tx
    .insertInto("notices")
    .values({
      organisation_id: organisationId,
      user_id: assigneeUserId,
      kind: "assigned",
      ticket_id: ticketId,
      actor_name: name,
      created_at: at,
    })
    .execute();
}

/**
 * The statement that notifies the assignees of new tickets. `filed` names a CTE with the organisation_id, id,
 * assignee_user_id, user_id (the author, if a person), author_name and created_at of each.
 */
export const tellAssigneesSql = (filed: string) => `
  insert into notices (organisation_id, user_id, kind, ticket_id, actor_name, created_at)
  select ${filed}.organisation_id, assignee_user_id, 'assigned', ${filed}.id, author_name, ${filed}.created_at
  from ${filed} join organisations on organisations.id = ${filed}.organisation_id and agent_user_id <> assignee_user_id
  where assignee_user_id is not null and assignee_user_id is distinct from user_id`;
