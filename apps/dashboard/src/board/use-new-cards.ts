import { createTicket } from "@lodge/contract/calls.generated";
import type { Card, CardFilter } from "@lodge/contract/dashboard/boards";
import { notifyManager, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/call.ts";
import { type LoadedBoard, type LoadedColumn, passes } from "../api/patch-board.ts";
import { adoptCard, toldSoFar } from "../api/told.ts";
import { useKeepDraft } from "../ui/use-draft.ts";

/** A card that is on its way to the server, and which cards of its title lay in the column before. */
export type NewCard = { key: number; columnId: string; title: string; before: readonly string[] };

/** Where the title of a card that is being written on a board is kept. */
export const newCardDraft = (boardId: string) => `boards/${boardId}/new-card`;

let lastKey = 0;

/**
 * The cards that a person files on a board: each shows at once, on top of its column. One that could not be filed is in
 * the draft again, with the reason as `error`. `hidden` is the one filed last, if the filter hides it.
 */
export function useNewCards(board: LoadedBoard, filter: CardFilter) {
  const queryClient = useQueryClient();
  const keepDraft = useKeepDraft<string>(newCardDraft(board.id));
  const [onTheWay, setOnTheWay] = useState<readonly NewCard[]>([]);
  const [hidden, setHidden] = useState<Card>();
  const { mutate, error } = useMutation({
    scope: { id: "new-card" }, // one after the other, in the order in which they were written
    mutationFn: async ({ title, columnId }: NewCard) => {
      const sent = toldSoFar();
      return { sent, card: await call(createTicket, { body: { title, columnId } }) };
    },
    onSuccess: ({ sent, card }) => {
      const { id: ticketId, board: on, columnId } = card;
      adoptCard(queryClient, card, { kind: "ticket.filed", ticketId, boardId: on.id, columnId }, sent);
      setHidden(isShown(card, filter) ? undefined : card);
    },
    onError: (_error, { title }) => keepDraft((now) => now || title),
    onSettled: (_answer, _error, filed) => {
      // After the card itself shows, so that there is no moment without it.
      notifyManager.schedule(() => setOnTheWay((all) => all.filter((other) => other !== filed)));
    },
  });
  const file = (title: string, column: LoadedColumn) => {
    const before = sameTitle(column, title);
    const card = { key: ++lastKey, columnId: column.id, title, before };
    setOnTheWay((all) => [card, ...all]);
    setHidden(undefined);
    keepDraft(undefined);
    mutate(card);
  };
  return {
    onTheWay,
    file,
    error,
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

/** A new card has no description yet, so its title alone is looked at. */
const isShown = (card: Card, filter: CardFilter) =>
  passes(card, filter) && (!filter.text || card.title.toLowerCase().includes(filter.text.toLowerCase()));
