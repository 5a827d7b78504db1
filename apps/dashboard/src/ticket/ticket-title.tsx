import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { titleLengthMax } from "@lodge/contract/limits";
import { useEffect, useState } from "react";
import { useChangeTicket } from "./use-change-ticket.ts";

/** The title, edited where it stands: Enter or leaving it saves, Escape takes the change back. */
export function TicketTitle({ ticket }: { ticket: TicketDetails }) {
  const [title, setTitle] = useState(ticket.title);
  const [editing, setEditing] = useState(false);
  const change = useChangeTicket(ticket.id);
  useEffect(() => {
    if (!editing) setTitle(ticket.title);
  }, [ticket.title, editing]);
  const save = () => {
    setEditing(false);
    const wanted = title.trim();
    if (wanted && wanted !== ticket.title) change.mutate({ title: wanted }, { onError: () => setTitle(ticket.title) });
    else setTitle(ticket.title);
  };
  return (
    <textarea
      aria-label="Title"
      rows={1}
      maxLength={titleLengthMax}
      value={title}
      onFocus={() => setEditing(true)}
      onChange={(event) => setTitle(event.target.value.replaceAll("\n", " "))}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Escape" && editing && title !== ticket.title) {
          event.stopPropagation(); // this one is not for closing the card
          setTitle(ticket.title);
        }
        if (event.key === "Enter" && !event.nativeEvent.isComposing) {
          event.preventDefault();
          event.currentTarget.blur();
        }
      }}
      className="field-sizing-content block w-full resize-none rounded-md bg-transparent px-2 py-1 text-lg font-semibold tracking-tight wrap-anywhere hover:bg-hover focus:bg-surface focus:outline-2 focus:outline-accent"
    />
  );
}
