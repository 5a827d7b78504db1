import { changeTickets } from "@lodge/contract/calls.generated";
import type { Person } from "@lodge/contract/dashboard/access";
import type { Card } from "@lodge/contract/dashboard/boards";
import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { notifyManager, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { peopleQuery } from "../../api/queries.ts";
import { adoptCard, toldSoFar } from "../../api/told.ts";
import { tellFailed } from "../../ui/toasts.tsx";
import { offerUndo } from "../ticket/undo.ts";
import { keepFocusNear } from "./laid-out-cards.ts";
import { inOrder, moveCard } from "./move-card.ts";

/** Changes of cards that are sent together, and the message when they are saved. */
type Wanted = { changes: TicketChange[]; done: string };

/**
 * The board with pending bulk changes applied, and a function that makes them. They show immediately, with an undo.
 * Changes that fail are reverted, with an error message.
 */
export function useChangeCards(board: LoadedBoard) {
  const queryClient = useQueryClient();
  const { data: people = [] } = useQuery(peopleQuery);
  const [onTheWay, setOnTheWay] = useState<readonly Wanted[]>([]);
  const { mutate } = useMutation({
    scope: inOrder,
    mutationFn: async ({ changes }: Wanted) => {
      const sent = toldSoFar();
      return { sent, ...(await call(changeTickets, { body: { changes } })) };
    },
    onSuccess: ({ sent, cards, undo }, { done }) => {
      notifyManager.batch(() => {
        for (const card of cards) {
          const { id: ticketId, columnId } = card;
          adoptCard(queryClient, card, { kind: "ticket.changed", ticketId, boardId: board.id, columnId }, sent);
        }
      });
      offerUndo(done, undo, { boardId: board.id, focus: keepFocusNear });
    },
    onError: (error, { changes }) =>
      tellFailed(changes.length === 1 ? "Could not change the card" : "Could not change the cards", error),
    onSettled: (_answer, _error, wanted) => {
      // Only once the server's order is shown, so that no card jumps back in between.
      notifyManager.schedule(() => setOnTheWay((all) => all.filter((other) => other !== wanted)));
    },
  });
  const make = (wanted: Wanted) => {
    setOnTheWay((all) => [...all, wanted]);
    keepFocusNear(wanted.changes.map(({ ticketId }) => ticketId));
    mutate(wanted);
  };
  return {
    board: onTheWay.reduce((before, { changes }) => withChanges(before, changes, people), board),
    change: (changes: TicketChange[], done: string) => make({ changes, done }),
  };
}

function withChanges(board: LoadedBoard, changes: readonly TicketChange[], people: readonly Person[]): LoadedBoard {
  // Last card first, so that the first of the cards moved together ends up on top.
  const moved = changes.reduceRight(
    (before, { ticketId, columnId, position, belowTicketId = null }) =>
      columnId === undefined || position !== undefined
        ? before
        : moveCard(before, { ticketId, columnId, belowTicketId }),
    board,
  );
  const changeOf = new Map(changes.map((change) => [change.ticketId, change]));
  const columns = moved.columns.map((column) => {
    const cards = column.cards.flatMap((card) => withChange(card, changeOf.get(card.id), people));
    return { ...column, cards, cardCount: column.cardCount - (column.cards.length - cards.length) };
  });
  return { ...moved, columns };
}

function withChange(card: Card, change: TicketChange | undefined, people: readonly Person[]): Card[] {
  if (!change) return [card];
  if (change.archived) return [];
  const { priority = card.priority, labels = card.labels, assigneeUserId } = change;
  const assignee =
    assigneeUserId === undefined ? card.assignee : (people.find(({ id }) => id === assigneeUserId) ?? null);
  return [{ ...card, priority, labels, assignee }];
}
