import { deleteTickets } from "@lodge/contract/calls.generated";
import { trashDays } from "@lodge/contract/limits";
import { call } from "../../api/call.ts";
import { fetchAfter, queryClient } from "../../api/client.ts";
import { applyTold } from "../../api/told.ts";
import { Confirm } from "../../ui/modal.tsx";
import { inWords } from "./in-words.ts";
import { offerRestore } from "./undo.ts";

/** Asks before cards are moved to the trash. */
export function DeleteCards({
  boardId,
  cards,
  focus,
  deleted,
  close,
}: {
  boardId: string;
  cards: readonly { id: string; columnId: string }[];
  /** Keeps the focus near cards that leave the board or return to it. */
  focus?: (ticketIds: readonly string[]) => void;
  deleted?: () => void;
  close: () => void;
}) {
  const what = inWords(cards.length);
  const remove = async () => {
    const ticketIds = cards.map(({ id }) => id);
    await call(deleteTickets, { body: { ticketIds } });
    focus?.(ticketIds);
    deleted?.();
    for (const { id: ticketId, columnId } of cards) {
      const change = { kind: "ticket.deleted", ticketId, boardId, columnId } as const;
      applyTold(queryClient, { ...change, card: null, columns: [] });
      void fetchAfter(change);
    }
    offerRestore(`${what} deleted`, ticketIds, { boardId, ...(focus && { focus }) });
  };
  return (
    <Confirm title={`Delete ${what}?`} confirm={`Delete ${what}`} act={remove} close={close}>
      {cards.length === 1 ? "It stays" : "They stay"} in the trash of the project for {trashDays} days.
    </Confirm>
  );
}
