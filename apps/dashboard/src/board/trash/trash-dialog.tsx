import { emptyTrash, listTrash, purgeTicket, restoreTickets } from "@lodge/contract/calls.generated";
import type { TrashedTicket } from "@lodge/contract/dashboard/trash";
import { trashDays } from "@lodge/contract/limits";
import { infiniteQueryOptions, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { keyOf, staleTimeWhileLive } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { shownTitle } from "../../ui/visible-text.ts";

const trashQuery = (projectId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listTrash, { params: { projectId } }),
    queryFn: ({ pageParam }) =>
      call(listTrash, { params: { projectId }, query: pageParam ? { cursor: pageParam } : {} }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: staleTimeWhileLive,
  });

/** The deleted cards of a project. Every member can restore them; owners and admins can delete them permanently. */
export function TrashDialog({ project, close }: { project: { id: string; name: string }; close: () => void }) {
  const { organisation } = useSession();
  const trash = useInfiniteQuery(trashQuery(project.id));
  const [purging, setPurging] = useState<TrashedTicket | "all">();
  const restore = useMutation({
    mutationFn: (ticketId: string) => call(restoreTickets, { body: { ticketIds: [ticketId] } }),
    onSuccess: () => trash.refetch(),
  });
  const tickets = trash.data?.pages.flatMap((page) => page.tickets) ?? [];
  const purges = organisation.role !== "member";
  return (
    <Modal title={`Trash of ${project.name}`} close={close}>
      <p className="mb-2 text-muted">Deleted cards stay here for {trashDays} days.</p>
      {trash.isPending && <Skeleton className="h-16" />}
      {trash.isError && <LoadError error={trash.error} retry={() => void trash.refetch()} />}
      <FormError error={restore.error} />
      {trash.data && tickets.length === 0 && <p className="text-muted">The trash is empty.</p>}
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {tickets.map((ticket) => (
          <li key={ticket.id} className="flex items-center gap-2 py-2">
            <p className="min-w-0 flex-1">
              <span dir="auto" className="block truncate">
                {shownTitle(ticket.title)}
              </span>
              <span className="text-xs text-muted">
                {ticket.number} deleted by {ticket.deletedBy} <Time at={ticket.deletedAt} />
              </span>
            </p>
            <Button
              small
              aria-label={`Restore ${shownTitle(ticket.title)}`}
              busy={restore.isPending && restore.variables === ticket.id}
              onClick={() => restore.mutate(ticket.id)}
            >
              Restore
            </Button>
            {purges && (
              <IconButton
                label={`Delete ${shownTitle(ticket.title)} permanently`}
                className="size-7"
                onClick={() => setPurging(ticket)}
              >
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      <MoreButton pages={trash} small look="quiet" className="mt-2">
        Show more cards
      </MoreButton>
      {purges && tickets.length > 0 && (
        <div className="mt-4 flex justify-end">
          <Button small look="danger" onClick={() => setPurging("all")}>
            Empty the trash
          </Button>
        </div>
      )}
      {purging && (
        <Confirm
          title={purging === "all" ? "Empty the trash?" : `Delete “${shownTitle(purging.title)}” permanently?`}
          confirm={purging === "all" ? "Delete all permanently" : "Delete permanently"}
          act={async () => {
            if (purging === "all") await call(emptyTrash, { params: { projectId: project.id } });
            else await call(purgeTicket, { params: { ticketId: purging.id } });
            await trash.refetch();
          }}
          close={() => setPurging(undefined)}
        >
          Comments, history and files are deleted with {purging === "all" ? "the cards" : "it"}. This cannot be undone.
        </Confirm>
      )}
    </Modal>
  );
}
