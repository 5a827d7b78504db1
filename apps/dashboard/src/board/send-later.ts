import { createTicket, listActivities, listComments, moveTicket, writeComment } from "@lodge/contract/calls.generated";
import type { MutationOptions } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { queryClient } from "../api/client.ts";
import { keyOf } from "../api/query.ts";
import { adoptCard, toldSoFar } from "../api/told.ts";
import { keepDraftOf } from "../session/use-draft.ts";
import { waitingKey, whenReached } from "../session/waiting.ts";
import { tellFailed } from "../ui/toasts.tsx";

/**
 * New cards, moves and comments that are queued while the server is unreachable. Each is plain JSON and independent of
 * components, so that it can be stored and sent after a reload.
 */

/** The content of a new card. */
export type CardText = { title: string; description?: string | undefined; labels?: string[] | undefined };

/** The draft of a new card on a board. `failed` has the cards that could not be filed, to be shown after it. */
export type CardDraft = CardText & { failed?: readonly CardText[] };

/** A card being filed, and the ids of the cards with the same title that were in the column before. */
export type NewCard = {
  title: string;
  description: string;
  labels: string[];
  /** Its Idempotency-Key. */
  key: string;
  userId: string;
  boardId: string;
  columnId: string;
  before: readonly string[];
};

/** A pending move of a card: directly below another one, or to the top of a column. */
export type WaitingMove = {
  boardId: string;
  ticketId: string;
  title: string | undefined;
  columnId: string;
  belowTicketId: string | null;
};

type Person = { id: string; name: string };

/** The draft of a comment, and the members that its author picked from the list. */
export type CommentDraft = { text: string; picked: readonly Person[] };

/** A comment being saved, and the ids of the comments with the same text that existed before. */
export type NewComment = CommentDraft & {
  /** Its Idempotency-Key. */
  key: string;
  userId: string;
  ticketId: string;
  mentionedUserIds: string[];
  before: readonly string[];
};

/** The storage place of the draft of a new card on a board. */
export const newCardDraft = (boardId: string) => `boards/${boardId}/card`;

/** The storage place of the draft of a comment. */
export const commentDraft = (ticketId: string) => `tickets/${ticketId}/comment`;

const once = (key: string) => ({ "idempotency-key": key });

sendsLater("card", {
  mutationFn: async ({ key, title, description, labels, columnId }: NewCard) => {
    const sent = toldSoFar();
    const body = { title, columnId, labels, ...(description && { description }) };
    return { sent, card: await call(createTicket, { headers: once(key), body }) };
  },
  onSuccess: ({ sent, card }) => {
    const { id: ticketId, board, columnId } = card;
    adoptCard(queryClient, card, { kind: "ticket.filed", ticketId, boardId: board.id, columnId }, sent);
  },
  onError: (error, { userId, boardId, title, description, labels }) => {
    const draft = { title, ...(description && { description }), ...(labels.length > 0 && { labels }) };
    keepDraftOf<CardDraft>(userId, newCardDraft(boardId), (now) =>
      now ? { ...now, failed: [...(now.failed ?? []), draft] } : draft,
    );
    tellFailed(`“${title}” was not created. Your text is still in the form`, error);
  },
});

sendsLater("move", {
  mutationFn: async ({ ticketId, columnId, belowTicketId }: WaitingMove) => {
    const sent = toldSoFar();
    const { undo, ...card } = await call(moveTicket, { params: { ticketId }, body: { columnId, belowTicketId } });
    return { sent, card, undo };
  },
  onSuccess: ({ sent, card }, { boardId }) => {
    const { id: ticketId, columnId } = card;
    adoptCard(queryClient, card, { kind: "ticket.changed", ticketId, boardId, columnId }, sent);
  },
  onError: (error, { title }) => tellFailed(title ? `“${title}” was moved back` : "The card was moved back", error),
});

sendsLater("comment", {
  mutationFn: ({ key, ticketId, text, mentionedUserIds }: NewComment) =>
    call(writeComment, { params: { ticketId }, headers: once(key), body: { text, mentionedUserIds } }),
  onSuccess: async ({ id }, { ticketId }) => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: keyOf(listComments, { params: { ticketId } }) }),
      queryClient.invalidateQueries({ queryKey: keyOf(listActivities, { params: { ticketId } }) }),
    ]);
    showComment(id);
  },
  onError: (error, { userId, ticketId, text, picked }) => {
    keepDraftOf<CommentDraft>(userId, commentDraft(ticketId), (now) =>
      now ? { text: `${text}\n\n${now.text}`, picked: [...picked, ...now.picked] } : { text, picked },
    );
    tellFailed("Your comment was not saved. Your text is still on the card", error);
  },
});

/** Registers how a kind of change is sent, even if it was made before a reload. */
function sendsLater<Answer, Change>(kind: string, options: MutationOptions<Answer, Error, Change>) {
  queryClient.setMutationDefaults(waitingKey(kind), { ...whenReached, ...options } as MutationOptions);
}

/** The number of frames to look for a comment. It never appears if its card was closed. */
const framesMax = 300;

/** Scrolls to a new comment once it is on the page, and highlights it for a moment. */
function showComment(id: string, framesLeft = framesMax) {
  const comment = document.getElementById(`comment-${id}`);
  if (!comment) {
    if (framesLeft > 0) requestAnimationFrame(() => showComment(id, framesLeft - 1));
    return;
  }
  comment.scrollIntoView({ block: "nearest" });
  comment.animate([{ backgroundColor: "var(--accent-soft)" }, {}], { duration: 2_000 });
}
