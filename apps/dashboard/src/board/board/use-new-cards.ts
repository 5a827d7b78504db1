import type { CardFilter } from "@lodge/contract/dashboard/boards";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type LoadedBoard, type LoadedColumn, passes } from "../../api/patch-board.ts";
import { keepDraftOf } from "../../session/use-draft.ts";
import { useSession } from "../../session/use-session.ts";
import { randomKey, useWaiting, waitingKey } from "../../session/waiting.ts";
import { type CardDraft, type CardText, type NewCard, newCardDraft } from "../send-later.ts";

/** The next draft, once this one is filed or discarded. */
export function nextDraft(draft: CardDraft | undefined): CardDraft | undefined {
  const [first, ...failed] = draft?.failed ?? [];
  return first && { ...first, ...(failed.length > 0 && { failed }) };
}

/**
 * The cards that the person files on a board. Each shows immediately on top of its column. If filing fails, an error is
 * shown and the card returns to the draft, or is queued after it. `hidden` is the card filed last, if the filter hides
 * it.
 */
export function useNewCards(board: LoadedBoard, filter: CardFilter) {
  const userId = useSession().user.id;
  const waiting = useWaiting<NewCard>("card");
  const [hidden, setHidden] = useState<TicketDetails>();
  const { mutate } = useMutation<{ card: TicketDetails }, Error, NewCard>({ mutationKey: waitingKey("card") });
  const file = ({ title, description = "", labels = [] }: CardText, column: LoadedColumn) => {
    const before = sameTitle(column, title);
    const card = {
      key: randomKey(),
      userId,
      boardId: board.id,
      columnId: column.id,
      title,
      description,
      labels,
      before,
    };
    setHidden(undefined);
    keepDraftOf(userId, newCardDraft(board.id), nextDraft);
    mutate(card, { onSuccess: ({ card }) => setHidden(isShown(card, filter) ? undefined : card) });
  };
  return {
    onTheWay: waiting.filter(({ boardId }) => boardId === board.id).reverse(),
    file,
    hidden: hidden && !isShown(hidden, filter) ? hidden : undefined,
  };
}

/** The pending cards of a column that the stream has not delivered yet. */
export const stillOnTheWay = (cards: readonly NewCard[], column: LoadedColumn) =>
  cards.filter(
    ({ columnId, title, before }) =>
      columnId === column.id && sameTitle(column, title).every((id) => before.includes(id)),
  );

const sameTitle = ({ cards }: LoadedColumn, title: string) =>
  cards.filter((card) => card.title === title).map(({ id }) => id);

/** Whether a filter shows a newly filed card. */
const isShown = (card: TicketDetails, filter: CardFilter) =>
  passes(card, filter) &&
  (!filter.text || `${card.title}\n${card.description}`.toLowerCase().includes(filter.text.toLowerCase()));
