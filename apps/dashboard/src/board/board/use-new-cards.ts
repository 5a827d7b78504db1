import { createTicket } from "@lodge/contract/calls.generated";
import type { CardFilter } from "@lodge/contract/dashboard/boards";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { notifyManager, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { type LoadedBoard, type LoadedColumn, passes } from "../../api/patch-board.ts";
import { adoptCard, toldSoFar } from "../../api/told.ts";
import { useKeepDraft } from "../../session/use-draft.ts";
import { tellFailed } from "../../ui/toasts.tsx";

/**
 * What somebody writes of a new card; where there is no description yet, none is asked for. Those that could not be filed
 * meanwhile come after it.
 */
export type CardDraft = {
  title: string;
  description?: string | undefined;
  labels?: string[] | undefined;
  failed?: readonly CardDraft[];
};

/** A card that is on its way to the server, and which cards of its title lay in the column before. */
export type NewCard = {
  title: string;
  description: string;
  labels: string[];
  key: number;
  columnId: string;
  before: readonly string[];
};

/** Where a card that is being written on a board is kept. */
export const newCardDraft = (boardId: string) => `boards/${boardId}/card`;

/** What comes once this one is filed or discarded. */
export function nextDraft(draft: CardDraft | undefined): CardDraft | undefined {
  const [first, ...failed] = draft?.failed ?? [];
  return first && { ...first, ...(failed.length > 0 && { failed }) };
}

let lastKey = 0;

/**
 * The cards that a person files on a board: each shows at once, on top of its column. One that could not be filed is in
 * the draft again, or behind it, and it is said. `hidden` is the one filed last, if the filter hides it.
 */
export function useNewCards(board: LoadedBoard, filter: CardFilter) {
  const queryClient = useQueryClient();
  const keepDraft = useKeepDraft<CardDraft>(newCardDraft(board.id));
  const [onTheWay, setOnTheWay] = useState<readonly NewCard[]>([]);
  const [hidden, setHidden] = useState<TicketDetails>();
  const { mutate } = useMutation({
    scope: { id: "new-card" }, // one after the other, in the order in which they were written
    mutationFn: async ({ title, description, labels, columnId }: NewCard) => {
      const sent = toldSoFar();
      const body = { title, columnId, labels, ...(description && { description }) };
      return { sent, card: await call(createTicket, { body }) };
    },
    onSuccess: ({ sent, card }) => {
      const { id: ticketId, board: on, columnId } = card;
      adoptCard(queryClient, card, { kind: "ticket.filed", ticketId, boardId: on.id, columnId }, sent);
      setHidden(isShown(card, filter) ? undefined : card);
    },
    onError: (error, { title, description, labels }) => {
      const draft = { title, ...(description && { description }), ...(labels.length > 0 && { labels }) };
      keepDraft((now) => (now ? { ...now, failed: [...(now.failed ?? []), draft] } : draft));
      tellFailed(`“${title}” was not created. Your text is still in the form`, error);
    },
    onSettled: (_answer, _error, filed) => {
      // After the card itself shows, so that there is no moment without it.
      notifyManager.schedule(() => setOnTheWay((all) => all.filter((other) => other !== filed)));
    },
  });
  const file = ({ title, description = "", labels = [] }: CardDraft, column: LoadedColumn) => {
    const before = sameTitle(column, title);
    const card = { key: ++lastKey, columnId: column.id, title, description, labels, before };
    setOnTheWay((all) => [card, ...all]);
    setHidden(undefined);
    keepDraft(nextDraft);
    mutate(card);
  };
  return {
    onTheWay,
    file,
    hidden: hidden && !isShown(hidden, filter) ? hidden : undefined,
  };
}

/** Those of the cards that are on their way to a column which the stream has not brought yet. */
export const stillOnTheWay = (cards: readonly NewCard[], column: LoadedColumn) =>
  cards.filter(
    ({ columnId, title, before }) =>
      columnId === column.id && sameTitle(column, title).every((id) => before.includes(id)),
  );

const sameTitle = ({ cards }: LoadedColumn, title: string) =>
  cards.filter((card) => card.title === title).map(({ id }) => id);

/** Whether a filter shows a card that was just filed. */
const isShown = (card: TicketDetails, filter: CardFilter) =>
  passes(card, filter) &&
  (!filter.text || `${card.title}\n${card.description}`.toLowerCase().includes(filter.text.toLowerCase()));
