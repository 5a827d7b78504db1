import { getTrashedTicket, restoreTickets } from "@lodge/contract/calls.generated";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { call, messageOf } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";

/** The notice that somebody deleted the open card, with a button that restores it. Unsaved text is kept. */
export function DeletedCard({ ticketId, boardId }: { ticketId: string; boardId: string }) {
  const { data: trashed, isPending } = useQuery({ ...query(getTrashedTicket, { params: { ticketId } }), retry: false });
  const restore = useMutation({
    mutationFn: () => call(restoreTickets, { body: { ticketIds: [ticketId] } }),
    onSuccess: ({ cards }) =>
      Promise.all(cards.map(({ columnId }) => fetchAfter({ kind: "ticket.restored", ticketId, boardId, columnId }))),
  });
  if (isPending) return null;
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-warn-soft px-4 py-2 text-sm text-warn-ink md:px-6"
    >
      <Trash2 aria-hidden className="size-4 shrink-0" />
      <p className="min-w-40 flex-1">
        {trashed ? `${trashed.deletedBy} deleted this card.` : "This card was deleted."} Your text is kept.
        {restore.error && ` ${messageOf(restore.error)}`}
      </p>
      {trashed && (
        <Button small busy={restore.isPending} onClick={() => restore.mutate()}>
          Restore
        </Button>
      )}
    </div>
  );
}
