import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { descriptionLengthMax } from "@lodge/contract/limits";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { controlClass } from "../ui/field.tsx";
import { PlainText } from "./plain-text.tsx";
import { useChangeTicket } from "./use-change-ticket.ts";

/** The description, edited where it stands. */
export function TicketDescription({ ticket }: { ticket: TicketDetails }) {
  const [draft, setDraft] = useState<string>();
  const change = useChangeTicket(ticket.id);
  const edit = () => setDraft(ticket.description);
  const cancel = () => setDraft(undefined);
  const save = () => {
    if (draft === undefined) return;
    if (draft === ticket.description) cancel();
    else change.mutate({ description: draft }, { onSuccess: cancel });
  };
  if (draft === undefined) {
    return (
      <section aria-labelledby="description" className="px-2">
        <div className="mb-1 flex items-center justify-between">
          <h2 id="description" className="text-sm font-semibold">
            Description
          </h2>
          <Button small look="quiet" onClick={edit}>
            {ticket.description ? "Edit" : "Add"}
          </Button>
        </div>
        {ticket.description ? (
          <PlainText text={ticket.description} />
        ) : (
          <p className="text-muted">No description yet.</p>
        )}
      </section>
    );
  }
  return (
    <section aria-labelledby="description" className="px-2">
      <h2 id="description" className="mb-2 text-sm font-semibold">
        Description
      </h2>
      <textarea
        aria-labelledby="description"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        rows={6}
        maxLength={descriptionLengthMax}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
          if (event.key === "Escape") {
            event.stopPropagation(); // this one is not for closing the card
            cancel();
          }
        }}
        className={`${controlClass} field-sizing-content max-h-[60vh] min-h-36 py-2 leading-6`}
      />
      <div className="mt-2 flex justify-end gap-2">
        <Button small look="quiet" onClick={cancel}>
          Cancel
        </Button>
        <Button small look="primary" busy={change.isPending} onClick={save}>
          Save
        </Button>
      </div>
    </section>
  );
}
