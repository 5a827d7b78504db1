import { Dialog } from "@base-ui/react/dialog";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { Archive, Link as LinkIcon, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from "react";
import { isRefused } from "../../api/call.ts";
import { keepLoading } from "../../api/keep-loading.ts";
import { useReadOnSight } from "../../people/notifications/notification-queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { useTitle } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { useMedia } from "../../ui/use-media.ts";
import { useNextFrame } from "../../ui/use-next-frame.ts";
import { shownTitle } from "../../ui/visible-text.ts";
import { Activity } from "./activity.tsx";
import { showAskedField } from "./asked-field.ts";
import { Attachments } from "./attachments.tsx";
import { Author } from "./author.tsx";
import { Composer } from "./composer.tsx";
import { copyLink } from "./copy-link.ts";
import { Relations } from "./relations.tsx";
import { TicketDescription } from "./ticket-description.tsx";
import { TicketFields } from "./ticket-fields.tsx";
import { TicketMenu } from "./ticket-menu.tsx";
import { TicketTitle } from "./ticket-title.tsx";
import { useTicket } from "./use-ticket.ts";

const DeletedCard = lazy(() =>
  keepLoading(() => import("./deleted-card.tsx")).then((notice) => ({ default: notice.DeletedCard })),
);

/** Screens on which a card opens beside its board, which stays usable. On others it covers the board. */
export const besideBoard = "(min-width: 64rem)";

/** Renders the report of a card. Passed in, because the inbox imports the board and not the other way round. */
export type ReportOf = (props: { ticketId: string; description: string }) => ReactNode;

/** An open card: beside its board, or over it on a narrow screen. */
export function TicketPanel({
  ticketId,
  reportOf,
  close,
}: {
  ticketId: string;
  reportOf: ReportOf;
  close: () => void;
}) {
  const ticket = useTicket(ticketId);
  const beside = useMedia(besideBoard);
  // Menu, fields, text and history take longer than a frame to render, so the empty card shows first.
  const isTime = useNextFrame();
  const title = ticket.data && shownTitle(ticket.data.title);
  useTitle(title ?? "Card");
  useReadOnSight(ticketId, ticket.data !== undefined);
  const name = title ?? "Card";
  const content = (
    <>
      <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4 md:pl-6">
        <h2 className="sr-only">{name}</h2>
        <p className="min-w-0 flex-1 truncate text-sm text-muted">
          {ticket.data?.number && <span className="font-medium text-ink tabular-nums">{ticket.data.number} </span>}
          {ticket.data && `${ticket.data.project.name} / ${ticket.data.board.name}`}
        </p>
        {ticket.data && isTime && <CopyLink url={ticket.data.url} />}
        {ticket.data && isTime && <TicketMenu ticket={ticket.data} close={close} />}
        <IconButton label="Close card" onClick={close}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
      {ticket.data && isRefused(ticket.error, "ticket_not_found") && (
        <Suspense>
          <DeletedCard ticketId={ticketId} boardId={ticket.data.board.id} />
        </Suspense>
      )}
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        {ticket.data ? (
          isTime && <TicketBody ticket={ticket.data} reportOf={reportOf} />
        ) : ticket.isError ? (
          <LoadError error={ticket.error} retry={() => void ticket.refetch()} />
        ) : (
          <TicketSkeleton />
        )}
      </div>
      {ticket.data && isTime && <Composer ticketId={ticketId} />}
    </>
  );
  const Frame = beside ? Beside : Over;
  return (
    <Frame name={name} close={close}>
      {content}
    </Frame>
  );
}

type FrameProps = { name: string; close: () => void; children: ReactNode };

const frameClass =
  "card-panel fixed top-(--notice-height,0px) right-0 bottom-0 z-30 flex flex-col border-l border-line bg-surface outline-none";

/**
 * Beside the board the card is not modal, so it does without the dialog library, which would cost time at each opening.
 */
function Beside({ name, close, children }: FrameProps) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => panel.current?.focus({ preventScroll: true }), []);
  // In the same phase as the focus, so that no key is missed in between.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.isComposing && isForCard(event, panel.current)) close();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [close]);
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={name}
      tabIndex={-1}
      className={`${frameClass} w-(--card-panel) shadow-float`}
    >
      {children}
    </div>
  );
}

function Over({ name, close, children }: FrameProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root
      open
      disablePointerDismissal
      onOpenChange={(open, { reason, event }) =>
        !open && reason === "escape-key" && isForCard(event, popup.current) && close()
      }
    >
      <Dialog.Portal>
        <Dialog.Popup
          ref={popup}
          aria-label={name}
          initialFocus={popup}
          finalFocus={false}
          className={`${frameClass} w-full`}
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Whether Escape closes the card, rather than a field or dialog outside of it or a keyboard move of a card. */
function isForCard(event: Event, panel: HTMLElement | null): boolean {
  const taken = (event.target as Element).closest("input, textarea, [role=dialog], [role=alertdialog], [role=menu]");
  return !event.defaultPrevented && (taken === null || (panel?.contains(taken) ?? false));
}

function TicketBody({ ticket, reportOf: Report }: { ticket: TicketDetails; reportOf: ReportOf }) {
  useEffect(showAskedField, []);
  return (
    <div className="flex flex-col gap-5 p-2 pt-3 md:px-4 md:pb-6">
      {ticket.archivedAt !== null && (
        <p className="mx-2 flex items-center gap-2 rounded-md bg-sunken px-3 py-2 text-sm text-muted">
          <Archive aria-hidden className="size-4 shrink-0" />
          <span>
            Archived <Time at={ticket.archivedAt} />: it is no longer on its board.
          </span>
        </p>
      )}
      <div>
        <TicketTitle ticket={ticket} />
        <p className="mt-1 px-2 text-sm text-muted">
          Filed by <Author author={ticket.author} /> on <ExactTime at={ticket.createdAt} />
        </p>
      </div>
      <TicketFields ticket={ticket} />
      <TicketDescription ticket={ticket} />
      {ticket.report && <Report ticketId={ticket.id} description={ticket.description} />}
      <Relations ticketId={ticket.id} />
      <Attachments ticketId={ticket.id} />
      <Activity ticketId={ticket.id} />
    </div>
  );
}

const CopyLink = ({ url }: { url: string }) => (
  <IconButton label="Copy link" onClick={() => void copyLink(url)}>
    <LinkIcon aria-hidden className="size-4" />
  </IconButton>
);

function TicketSkeleton() {
  return (
    <div aria-busy className="flex flex-col gap-4 p-4 md:p-6">
      <p className="sr-only">Loading the card</p>
      <Skeleton className="h-8 w-3/4" />
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-7 w-2/3" />
      <Skeleton className="h-24" />
      <Skeleton className="h-24" />
    </div>
  );
}
