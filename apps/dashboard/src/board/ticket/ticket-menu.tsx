import { deleteTicket } from "@lodge/contract/calls.generated";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { Archive, ArchiveRestore, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { DropMenu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import { showField } from "./asked-field.ts";
import { FieldItems } from "./field-items.tsx";
import { FollowItem } from "./follow-item.tsx";
import { useChangeTicket } from "./use-ticket.ts";

/** What can be done with a ticket: change a field, archive it, bring it back, delete it for good. */
export function TicketMenu({ ticket, close }: { ticket: TicketDetails; close: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const change = useChangeTicket(ticket.id, {
    saved: ({ archived }) => tellDone(archived ? "Archived" : "Restored to its board"),
  });
  const archived = ticket.archivedAt !== null;
  const remove = async () => {
    await call(deleteTicket, { params: { ticketId: ticket.id } });
    close();
    tellDone("Deleted");
    await fetchAfter({
      kind: "ticket.deleted",
      ticketId: ticket.id,
      boardId: ticket.board.id,
      columnId: ticket.columnId,
    });
  };
  return (
    <>
      <DropMenu
        trigger={
          <IconButton label="Actions for the card">
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
      >
        {/* Once the menu has given the focus back. */}
        <FieldItems lead={(field) => requestAnimationFrame(() => showField(field))} />
        <MenuLine />
        <FollowItem ticketId={ticket.id} />
        <MenuItem onClick={() => change.mutate({ archived: !archived })}>
          {archived ? <ArchiveRestore aria-hidden className="size-4" /> : <Archive aria-hidden className="size-4" />}
          {archived ? "Restore" : "Archive"}
        </MenuItem>
        <MenuLine />
        <MenuItem danger onClick={() => setDeleting(true)}>
          <Trash2 aria-hidden className="size-4" />
          Delete
        </MenuItem>
      </DropMenu>
      {deleting && (
        <Confirm
          title={`Delete “${shownTitle(ticket.title)}”?`}
          confirm="Delete card"
          act={remove}
          close={() => setDeleting(false)}
        >
          It is deleted for good, with its comments and history. To keep it, archive it instead.
        </Confirm>
      )}
    </>
  );
}
