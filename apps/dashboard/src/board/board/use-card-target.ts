import type { Card, ColumnSummary } from "@lodge/contract/dashboard/boards";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { boardQuery, ticketQuery } from "../../api/queries.ts";
import { shownTitle } from "../../ui/visible-text.ts";
import { inWords } from "../ticket/in-words.ts";
import { withOrWithout } from "../ticket/labels.tsx";
import { useMoveTicket } from "../ticket/use-move-ticket.ts";
import { useChangeTicket } from "../ticket/use-ticket.ts";
import { actOnCards, type CardActs } from "./act-on-cards.ts";
import { type ActedBoard, useActedBoard } from "./acted-on.ts";
import { keepFocusNear } from "./laid-out-cards.ts";
import { findCard } from "./move-card.ts";

/** The cards that a command applies to, their possible columns, and the actions on them. */
export type CardTarget = {
  name: string;
  cards: readonly Card[];
  columns: readonly ColumnSummary[];
  act: CardActs;
};

/**
 * The cards that a command applies to: the selected ones, else the open card, else the card that had the focus when the
 * component was mounted, on a board or in a list. The board's shortcuts choose in the same way.
 */
export function useCardTarget(): CardTarget | undefined {
  const shown = useActedBoard();
  const { ticketId: openId }: { ticketId?: string } = useParams({ strict: false });
  const [focusedId] = useState(focusedTicketId);
  const selected = shown?.board.columns.flatMap(({ cards }) => cards.filter(({ id }) => shown.selected.has(id))) ?? [];
  const ticketId = selected.length > 0 ? undefined : (openId ?? focusedId);
  const focused = shown && ticketId && ticketId !== openId ? findCard(shown.board, ticketId)?.card : undefined;
  const inPanel = useTicketTarget(focused ? undefined : ticketId, shown);
  if (shown && selected.length > 0) return selectedTarget(shown, selected);
  if (shown && focused) return focusedTarget(shown, focused);
  return inPanel;
}

/** The card that contains the focus, or whose link has it. */
function focusedTicketId(): string | undefined {
  const element = document.activeElement;
  const card = element?.closest<HTMLElement>("[data-card]");
  if (card) return card.dataset.card;
  const path = element instanceof HTMLAnchorElement ? element.pathname : "";
  return path.match(/^\/tickets\/([^/]+)$/)?.[1];
}

const nameOf = ({ number, title }: Card) => (number ? `${number} ${shownTitle(title)}` : shownTitle(title));

function selectedTarget({ board, change, clear }: ActedBoard, cards: Card[]): CardTarget {
  const end = () => {
    clear();
    keepFocusNear(cards.map(({ id }) => id));
  };
  return {
    name: `${inWords(cards.length)} selected`,
    cards,
    columns: board.columns,
    act: actOnCards(cards, change, end),
  };
}

function focusedTarget({ board, move, change }: ActedBoard, card: Card): CardTarget {
  return {
    name: nameOf(card),
    cards: [card],
    columns: board.columns,
    act: {
      ...actOnCards([card], change, () => {}),
      move: ({ id: columnId }) => {
        move({ ticketId: card.id, columnId, belowTicketId: null });
        keepFocusNear([card.id]);
      },
    },
  };
}

/** The open card or one of a list, with the actions of its page. If its board is visible, the board moves it. */
function useTicketTarget(ticketId: string | undefined, shown: ActedBoard | undefined): CardTarget | undefined {
  const { data: ticket } = useQuery({ ...ticketQuery(ticketId ?? ""), enabled: ticketId !== undefined });
  const isShown = shown !== undefined && shown.board.id === ticket?.board.id;
  const board = useQuery({ ...boardQuery(ticket?.board.id ?? "", {}), enabled: ticket !== undefined && !isShown });
  const columns = (isShown ? shown.board.columns : board.data?.columns) ?? [];
  const { mutate: change } = useChangeTicket(ticketId ?? "");
  const { mutate: move } = useMoveTicket(ticket ?? none, columns);
  if (!ticketId || !ticket) return undefined;
  return {
    name: nameOf(ticket),
    cards: [ticket],
    columns,
    act: {
      move: ({ id: columnId }) => {
        if (shown && findCard(shown.board, ticketId)) shown.move({ ticketId, columnId, belowTicketId: null });
        else move(columnId);
      },
      assign: (person) => change({ assigneeUserId: person?.id ?? null }),
      prioritise: (priority) => change({ priority }),
      label: (name) => change({ labels: withOrWithout(ticket.labels, name) }),
      archive: () => change({ archived: ticket.archivedAt === null }),
    },
  };
}

const none = { id: "", board: { id: "" }, columnId: "" };
