import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { titleLengthMax } from "@lodge/contract/limits";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useDraft } from "../../session/use-draft.ts";
import { tooLong } from "../../ui/length.ts";
import { UnsavedNotice } from "../../ui/unsaved-notice.tsx";
import { isInvisible } from "../../ui/visible-text.ts";
import { useChangedBy, useChangeTicket, useRefusedTexts } from "./use-ticket.ts";

/** The draft of a title, and the saved title when editing began. */
type TitleDraft = { text: string; base: string };

/**
 * The title, edited in place: Enter or leaving the field saves, Escape restores the saved title. Changes that somebody
 * else saves meanwhile are shown before they are replaced.
 */
export function TicketTitle({ ticket }: { ticket: TicketDetails }) {
  const [draft, keep] = useDraft<TitleDraft>(`tickets/${ticket.id}/title`);
  const [editing, setEditing] = useState(false);
  const change = useChangeTicket(ticket.id, {
    saved: ({ title = "" }) => keep((now) => now && (now.text.trim() === title ? undefined : { ...now, base: title })),
    refused: useRefusedTexts(ticket.id),
  });
  const problem = draft === undefined ? undefined : tooLong(draft.text.trim(), titleLengthMax);
  const conflict = draft !== undefined && draft.base !== ticket.title && !change.isPending;
  const changedBy = useChangedBy(ticket.id, "title", conflict ? ticket.title : undefined);
  const save = () => {
    const title = draft?.text.trim();
    if (title === undefined || problem) return;
    if (isInvisible(title) || title === ticket.title) return keep(undefined);
    change.mutate({ title, basedOn: { title: ticket.title } });
  };
  const shown = draft?.text ?? (isInvisible(ticket.title) ? "" : ticket.title);
  return (
    <>
      <textarea
        aria-label="Title"
        dir="auto"
        rows={1}
        placeholder="No title"
        aria-invalid={problem ? true : undefined}
        value={shown}
        onFocus={() => setEditing(true)}
        onChange={(event) => {
          const title = event.target.value.replaceAll("\n", " ");
          keep(title === ticket.title ? undefined : { text: title, base: draft?.base ?? ticket.title });
        }}
        onBlur={() => {
          setEditing(false);
          if (editing && !conflict) save();
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Escape" && draft !== undefined) {
            event.stopPropagation(); // it must not close the card as well
            // Synchronously, so that blur no longer saves.
            flushSync(() => {
              setEditing(false);
              keep(undefined);
            });
            event.currentTarget.blur();
          }
          if (event.key === "Enter") {
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
        className="field-sizing-content block w-full resize-none rounded-md bg-transparent px-2 py-1 text-lg font-semibold tracking-tight wrap-anywhere hover:bg-hover focus:bg-surface focus:outline-2 focus:outline-accent"
      />
      {draft !== undefined && (problem || conflict || !editing) && !change.isPending && (
        <UnsavedNotice
          what="title"
          problem={problem}
          {...(conflict && {
            says: `${changedBy} changed the title to “${ticket.title}” while you were editing it.`,
            saveLabel: (
              <>
                Replace theirs<span className="sr-only"> with</span>
              </>
            ),
          })}
          save={save}
          discard={() => keep(undefined)}
        />
      )}
    </>
  );
}
