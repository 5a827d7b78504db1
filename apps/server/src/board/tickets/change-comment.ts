import type { Comment, WriteComment } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { recheckImages } from "../images/recheck-images.ts";
import { commentColumns, toComment } from "./list-comments.ts";
import { requireTicket } from "./require-ticket.ts";
import { findMentioned, noteTicketUpdate } from "./write-comment.ts";

type Place = { ticketId: string; commentId: string };

/** Changes the actor's own comment. Throws `comment_not_found`, `forbidden`, `not_a_member` or `invalid_input`. */
export async function changeComment(
  deps: Deps,
  actor: Actor,
  place: Place,
  { text, mentionedUserIds = [] }: WriteComment,
): Promise<Comment> {
  const comment = await deps.db.transaction().execute(async (tx) => {
    await noteTicketUpdate(tx, actor.organisationId, place.ticketId);
    const { authorUserId, mentions: before } = await lockComment(tx, actor, place);
    if (authorUserId !== actor.userId) throw new Refusal("forbidden");
    const mentions = await findMentioned(
      tx,
      actor.organisationId,
      text,
      mentionedUserIds,
      before as Comment["mentions"],
    );
    const changed = await tx
      .updateTable("comments")
      .set({ text, mentions: JSON.stringify(mentions), edited_at: deps.clock.now() })
      .where("organisation_id", "=", actor.organisationId)
      .where("ticket_id", "=", place.ticketId)
      .where("id", "=", place.commentId)
      .returning(commentColumns)
      .executeTakeFirstOrThrow();
    await recheckImages(tx, actor.organisationId, place.ticketId);
    return toComment(changed);
  });
  await tellBoards(deps, actor, place.ticketId);
  return comment;
}

/** Deletes a comment: the actor's own or, for owners and admins, any. Throws `comment_not_found` or `forbidden`. */
export async function deleteComment(deps: Deps, actor: Actor, place: Place): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    await noteTicketUpdate(tx, actor.organisationId, place.ticketId);
    const { authorUserId } = await lockComment(tx, actor, place);
    if (actor.role === "member" && authorUserId !== actor.userId) throw new Refusal("forbidden");
    await tx
      .deleteFrom("comments")
      .where("organisation_id", "=", actor.organisationId)
      .where("ticket_id", "=", place.ticketId)
      .where("id", "=", place.commentId)
      .execute();
    await recheckImages(tx, actor.organisationId, place.ticketId);
  });
  await tellBoards(deps, actor, place.ticketId);
}

async function lockComment(tx: Transaction, { organisationId }: Actor, { ticketId, commentId }: Place) {
  const found = await tx
    .selectFrom("comments")
    .select(["author_user_id as authorUserId", "mentions"])
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .where("id", "=", commentId)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw new Refusal("comment_not_found");
  return found;
}

async function tellBoards({ db, announce }: Deps, { organisationId }: Actor, ticketId: string) {
  const { id, boardId, columnId } = await requireTicket(db, organisationId, ticketId);
  announce(organisationId, { kind: "ticket.commented", ticketId: id, boardId, columnId });
}
