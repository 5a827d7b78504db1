import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { Archive, ArchiveRestore, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { DropMenu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { showField } from "./asked-field.ts";
import { DeleteCards } from "./delete-cards.tsx";
import { FieldItems } from "./field-items.tsx";
import { FollowItem } from "./follow-item.tsx";
import { useChangeTicket } from "./use-ticket.ts";

/** The menu of a ticket: change a field, archive it, restore it, delete it. */
export function TicketMenu({ ticket, close }: { ticket: TicketDetails; close: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const change = useChangeTicket(ticket.id);
  const archived = ticket.archivedAt !== null;
  return (
    <>
      <DropMenu
        trigger={
          <IconButton label="Actions for the card">
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
      >
        {/* After the menu has returned the focus. */}
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
        <DeleteCards boardId={ticket.board.id} cards={[ticket]} deleted={close} close={() => setDeleting(false)} />
      )}
    </>
  );
}
