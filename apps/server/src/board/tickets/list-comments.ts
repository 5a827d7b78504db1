import type { Comment, CommentPage, PageQuery } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireTicket } from "./require-ticket.ts";

const pageComments = 100;

/** The comments on a ticket, the oldest first. Throws `ticket_not_found`. */
export async function listComments(
  { db }: Deps,
  { organisationId }: Actor,
  ticketId: string,
  { cursor }: PageQuery,
): Promise<CommentPage> {
  await requireTicket(db, organisationId, ticketId);
  const rows = await db
    .selectFrom("comments")
    .select(commentColumns)
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .$if(cursor !== undefined, (query) => query.where("id", ">", cursor as string))
    .orderBy("id")
    .limit(pageComments + 1)
    .execute();
  const comments = rows.slice(0, pageComments).map(toComment);
  return { comments, nextCursor: rows.length > pageComments ? (comments.at(-1)?.id ?? null) : null };
}

/** The columns that `toComment` needs. */
export const commentColumns = [
  "id",
  "author_user_id",
  "author_token_id",
  "author_name",
  "text",
  "mentions",
  "created_at",
  "edited_at",
] as const;

/** Converts a row of `comments` to the contract's form. */
export const toComment = (row: {
  id: string;
  author_user_id: string | null;
  author_token_id: string | null;
  author_name: string;
  text: string;
  mentions: unknown;
  created_at: Date;
  edited_at: Date | null;
}): Comment => ({
  id: row.id,
  author:
    row.author_token_id === null
      ? { kind: "person", id: row.author_user_id, name: row.author_name }
      : { kind: "token", id: row.author_token_id, name: row.author_name },
  text: row.text,
  mentions: row.mentions as Comment["mentions"],
  createdAt: row.created_at.toISOString(),
  editedAt: row.edited_at?.toISOString() ?? null,
});
