import { Dialog } from "@base-ui/react/dialog";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { useQuery } from "@tanstack/react-query";
import { Link as LinkIcon, X } from "lucide-react";
import { useRef } from "react";
import { ticketQuery } from "../api/queries.ts";
import { IconButton } from "../ui/button.tsx";
import { backdropClass } from "../ui/modal.tsx";
import { LoadError } from "../ui/notice.tsx";
import { useTitle } from "../ui/page-heading.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { ExactTime } from "../ui/time.tsx";
import { tellDone, tellFailed } from "../ui/toasts.tsx";
import { Author } from "./author.tsx";
import { Comments } from "./comments.tsx";
import { History } from "./history.tsx";
import { TicketDescription } from "./ticket-description.tsx";
import { TicketFields } from "./ticket-fields.tsx";
import { TicketTitle } from "./ticket-title.tsx";

/** A card, open over its board. */
export function TicketPanel({ ticketId, close }: { ticketId: string; close: () => void }) {
  const ticket = useQuery(ticketQuery(ticketId));
  const popup = useRef<HTMLDivElement>(null);
  useTitle(ticket.data?.title ?? "Card");
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          ref={popup}
          initialFocus={popup}
          finalFocus={false}
          className="fixed inset-y-0 right-0 z-40 flex w-full max-w-4xl flex-col border-l border-line bg-surface shadow-float outline-none"
        >
          <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4 md:pl-6">
            <Dialog.Title className="sr-only">{ticket.data?.title ?? "Card"}</Dialog.Title>
            <p className="min-w-0 flex-1 truncate text-sm text-muted">
              {ticket.data && `${ticket.data.project.name} / ${ticket.data.board.name}`}
            </p>
            {ticket.data && <CopyLink url={ticket.data.url} />}
            <Dialog.Close render={<IconButton label="Close the card" />}>
              <X aria-hidden className="size-4" />
            </Dialog.Close>
          </div>
          <div className="relative min-h-0 flex-1 overflow-y-auto">
            {ticket.data ? (
              <TicketBody ticket={ticket.data} />
            ) : ticket.isError ? (
              <LoadError error={ticket.error} retry={() => void ticket.refetch()} />
            ) : (
              <TicketSkeleton />
            )}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function TicketBody({ ticket }: { ticket: TicketDetails }) {
  return (
    <div className="grid gap-x-8 gap-y-6 p-4 md:grid-cols-[minmax(0,1fr)_15rem] md:p-6">
      <div className="flex min-w-0 flex-col gap-4">
        <div>
          <TicketTitle ticket={ticket} />
          <p className="mt-1 px-2 text-sm text-muted">
            Filed by <Author author={ticket.author} /> on <ExactTime at={ticket.createdAt} />
          </p>
        </div>
        <TicketDescription ticket={ticket} />
      </div>
      <aside aria-label="Fields" className="md:col-start-2 md:row-span-2 md:row-start-1">
        <TicketFields ticket={ticket} />
      </aside>
      <div className="flex min-w-0 flex-col gap-6">
        <Comments ticketId={ticket.id} />
        <History ticketId={ticket.id} />
      </div>
    </div>
  );
}

function CopyLink({ url }: { url: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url);
      tellDone("Link copied");
    } catch {
      tellFailed("The browser does not allow copying here: copy the address of the page");
    }
  };
  return (
    <IconButton label="Copy the link" onClick={() => void copy()}>
      <LinkIcon aria-hidden className="size-4" />
    </IconButton>
  );
}

function TicketSkeleton() {
  return (
    <div aria-busy className="flex gap-8 p-4 md:p-6">
      <p className="sr-only">Loading the card</p>
      <div className="flex flex-1 flex-col gap-4">
        <Skeleton className="h-8 w-3/4" />
        <Skeleton className="h-4 w-1/2" />
        <Skeleton className="h-24" />
        <Skeleton className="h-24" />
      </div>
      <Skeleton className="hidden h-72 w-60 md:block" />
    </div>
  );
}
