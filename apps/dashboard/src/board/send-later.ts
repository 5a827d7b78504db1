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
 * New cards, moves and comments that wait while the server cannot be reached. Each is JSON, so that it can be kept,
 * and nothing of a component, so that it goes on after a reload.
 */

/** The text of a new card; where there is no description yet, none is asked for. */
export type CardText = { title: string; description?: string | undefined; labels?: string[] | undefined };

/** The card that is being written on a board. Those that could not be filed come after it. */
export type CardDraft = CardText & { failed?: readonly CardText[] };

/** A card that is on its way to the server, and which cards of its title lay in the column before. */
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

/** A card that is being moved: directly below another one, or on top of a column. */
export type WaitingMove = {
  boardId: string;
  ticketId: string;
  title: string | undefined;
  columnId: string;
  belowTicketId: string | null;
};

type Person = { id: string; name: string };

/** A comment that is being written, and whom its author picked from the list while writing. */
export type CommentDraft = { text: string; picked: readonly Person[] };

/** A comment that is on its way to the server, and which comments of its text were there before. */
export type NewComment = CommentDraft & {
  /** Its Idempotency-Key. */
  key: string;
  userId: string;
  ticketId: string;
  mentionedUserIds: string[];
  before: readonly string[];
};

/** Where a card that is being written on a board is kept. */
export const newCardDraft = (boardId: string) => `boards/${boardId}/card`;

/** Where a comment that is being written is kept. */
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

/** Says how a kind of changes is sent, whichever page or reload of it has made them. */
function sendsLater<Answer, Change>(kind: string, options: MutationOptions<Answer, Error, Change>) {
  queryClient.setMutationDefaults(waitingKey(kind), { ...whenReached, ...options } as MutationOptions);
}

/** The number of frames in which a comment is looked for: one whose card was left never comes. */
const framesMax = 300;

/** Scrolls to a comment that was just written, as soon as it is on the page, and marks it for a moment. */
function showComment(id: string, framesLeft = framesMax) {
  const comment = document.getElementById(`comment-${id}`);
  if (!comment) {
    if (framesLeft > 0) requestAnimationFrame(() => showComment(id, framesLeft - 1));
    return;
  }
  comment.scrollIntoView({ block: "nearest" });
  comment.animate([{ backgroundColor: "var(--accent-soft)" }, {}], { duration: 2_000 });
}
