import type { Comment, WriteComment } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import { tellOfComment } from "../../people/notifications/tell-people.ts";
import type { Changer } from "../../people/tokens/changer.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { commentColumns, toComment } from "./list-comments.ts";
import { recordActivity } from "./record-activity.ts";
import { requireTicket } from "./require-ticket.ts";

/** Options of a comment: the key under which its author writes it once, and what to write with it. */
type Options = { key?: string | undefined; keep?: (tx: Transaction, comment: Comment) => Promise<void> };

/**
 * Writes a comment with its activity; a `key` that the person has used on the ticket before returns that comment.
 * Throws `ticket_not_found`, `not_a_member` or `invalid_input`.
 */
export async function writeComment(
  deps: Deps,
  actor: Changer,
  ticketId: string,
  { text, mentionedUserIds = [] }: WriteComment,
  { key, keep }: Options = {},
): Promise<Comment> {
  const { organisationId } = actor;
  const { ticket, comment, notified } = await deps.db.transaction().execute(async (tx) => {
    // Locks the ticket before looking for it, so that it is not deleted before the comment is written.
    await noteTicketUpdate(tx, organisationId, ticketId);
    const ticket = await requireTicket(tx, organisationId, ticketId, actor.token);
    const replay = await findWritten(tx, actor, ticket.id, key);
    if (replay) return { ticket, comment: toComment(replay), notified: [] };
    const mentions = await findMentioned(tx, organisationId, text, mentionedUserIds);
    const comment = await tx
      .insertInto("comments")
      .values({
        organisation_id: organisationId,
        ticket_id: ticket.id,
        author_user_id: actor.userId,
        author_token_id: actor.token?.id ?? null,
        author_name: actor.name,
        text,
        mentions: JSON.stringify(mentions),
        idempotency_key: key ?? null,
        created_at: deps.clock.now(),
      })
      .returning(commentColumns)
      .executeTakeFirstOrThrow();
    await recordActivity(deps, tx, actor, ticket.id, { kind: "ticket.commented", commentId: comment.id });
    const said = { ticketId: ticket.id, commentId: comment.id, at: comment.created_at };
    const mentioned = mentions.map(({ id }) => id);
    const notified = await tellOfComment(tx, actor, said, mentioned);
    await keep?.(tx, toComment(comment));
    return { ticket, comment: toComment(comment), notified };
  });
  const { id, boardId, columnId } = ticket;
  deps.announce(organisationId, { kind: "ticket.commented", ticketId: id, boardId, columnId });
  for (const userId of notified) deps.announce(organisationId, { kind: "notices.changed", userId });
  return comment;
}

/** The comment that a person wrote on a ticket with a key. The ticket is locked, so nobody else writes it meanwhile. */
async function findWritten(tx: Transaction, { organisationId, userId }: Changer, ticketId: string, key?: string) {
  if (key === undefined) return undefined;
  return tx
    .selectFrom("comments")
    .select(commentColumns)
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .where("author_user_id", "=", userId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
}

/** Records that the comments or attachments of a ticket, if there is one, have just changed. */
export async function noteTicketUpdate(tx: Transaction, organisationId: string, ticketId: string): Promise<void> {
  await sql`
    update tickets set updated_at = greatest(updated_at, clock_timestamp())
    where organisation_id = ${organisationId} and id = ${ticketId}`.execute(tx);
}

/**
 * The mentioned people, who must be members: a token is not a user (interface section 2.1). People mentioned `before`
 * stay mentioned under the name in the text, even if they are no longer members. Throws `not_a_member` or
 * `invalid_input`.
 */
export async function findMentioned(
  tx: Transaction,
  organisationId: string,
  text: string,
  userIds: readonly string[],
  before: Comment["mentions"] = [],
): Promise<Comment["mentions"]> {
  const ids = [...new Set(userIds.map((id) => id.toLowerCase()))];
  if (ids.length === 0) return [];
  const members = await tx
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["users.id", "users.name"])
    .where("members.organisation_id", "=", organisationId)
    .where("members.user_id", "in", ids)
    .orderBy("users.name")
    .execute();
  const isSaid = ({ name }: { name: string }) => text.includes(`@${name}`);
  const byId = new Map([...before, ...members].filter(isSaid).map((mention) => [mention.id, mention]));
  const mentioned = [...byId.values()].filter(({ id }) => ids.includes(id));
  const unsaid = members.filter(({ id }) => !byId.has(id));
  if (mentioned.length + unsaid.length < ids.length) {
    throw new Refusal("not_a_member", { message: "A user in mentionedUserIds is not a member. Mention only members." });
  }
  if (unsaid[0]) {
    throw invalidInput([
      { path: "/mentionedUserIds", message: `must appear in the text: @${unsaid[0].name} is missing` },
    ]);
  }
  return mentioned;
}
