import type { CommentOnTicket, TicketComment } from "@lodge/contract/tickets";
import { sql } from "kysely";
import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import { tokenAsChanger } from "../../people/tokens/changer.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { keepAnswer, onceForKey } from "./keep-answer.ts";
import { requireTicket } from "./require-ticket.ts";
import { writeComment } from "./write-comment.ts";
import type { Idempotency } from "./write-ticket.ts";

const pageCommentsDefault = 50;

/**
 * Comments on a ticket in the name of a token (`writeComment`). Returns the comment as the bytes to send, or the
 * response to replay if another request with the same Idempotency-Key was faster. Throws `ticket_not_found`.
 */
export function commentOnTicket(
  deps: Deps,
  token: Token,
  ticketId: string,
  { text }: CommentOnTicket,
  idempotency?: Idempotency,
): Promise<{ body: string } | { replay: Replay }> {
  const bodyOf = (comment: { id: string; text: string; createdAt: string }) =>
    JSON.stringify({
      id: comment.id,
      ticketId: ticketId.toLowerCase(),
      text: comment.text,
      author: { kind: "token", name: token.name },
      createdAt: comment.createdAt,
      url: `${deps.urls.base}/tickets/${ticketId.toLowerCase()}`,
    } satisfies TicketComment);
  return onceForKey(deps, token, idempotency, async () => {
    const comment = await writeComment(
      deps,
      tokenAsChanger(token),
      ticketId,
      { text },
      {
        keep: async (tx, written) => {
          if (idempotency)
            await keepAnswer(tx, token, idempotency, { status: 201, body: bodyOf(written) }, deps.clock.now());
        },
      },
    );
    return { body: bodyOf(comment) };
  });
}

/** The comments on a ticket that a token can access, the oldest first. Throws `ticket_not_found` or `invalid_input`. */
export async function readComments(
  { db, urls }: Deps,
  token: Token,
  ticketId: string,
  { limit, cursor }: { limit?: string; cursor?: string },
): Promise<{ comments: TicketComment[]; next: string | null }> {
  const { organisationId } = token;
  const { id } = await requireTicket(db, organisationId, ticketId, token);
  if (cursor !== undefined && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor)) {
    throw invalidInput([{ path: "/cursor", message: "must be from an earlier response" }]);
  }
  const count = Number(limit ?? pageCommentsDefault);
  const { rows } = await sql<Row>`
    select comments.id, comments.text, comments.author_name as "authorName", comments.created_at as "createdAt",
      case when comments.author_token_id is not null then 'token' when comments.author_user_id = organisations.agent_user_id then 'agent' else 'person' end
        as "authorKind"
    from comments join organisations on organisations.id = comments.organisation_id
    where comments.organisation_id = ${organisationId} and comments.ticket_id = ${id}
      and (${cursor ?? null}::uuid is null or comments.id > ${cursor ?? null}::uuid)
    order by comments.id limit ${count + 1}`.execute(db);
  const comments = rows.slice(0, count).map((row) => ({
    id: row.id,
    ticketId: id,
    text: row.text,
    author: { kind: row.authorKind, name: row.authorName },
    createdAt: row.createdAt.toISOString(),
    url: `${urls.base}/tickets/${id}`,
  }));
  return { comments, next: rows.length > count ? (comments.at(-1)?.id ?? null) : null };
}

type Row = {
  id: string;
  text: string;
  authorName: string;
  authorKind: TicketComment["author"]["kind"];
  createdAt: Date;
};
