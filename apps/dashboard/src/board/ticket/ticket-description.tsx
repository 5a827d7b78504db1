import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { descriptionLengthMax } from "@lodge/contract/limits";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { isRefused } from "../../api/call.ts";
import { ticketQuery } from "../../api/queries.ts";
import { useDraft } from "../../session/use-draft.ts";
import { Button } from "../../ui/button.tsx";
import { controlClass } from "../../ui/field.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { tooLong } from "../../ui/length.ts";
import { FormError } from "../../ui/notice.tsx";
import { tellFailed } from "../../ui/toasts.tsx";
import { UnsavedNotice } from "../../ui/unsaved-notice.tsx";
import { AddImage, ImagesState } from "./add-image.tsx";
import { RichText } from "./rich-text.tsx";
import { withTask } from "./tasks.ts";
import { TextDifference } from "./text-difference.tsx";
import { useImages } from "./use-images.ts";
import { useChangedBy, useChangeTicket, useRefusedTexts } from "./use-ticket.ts";

/** The draft of a description, and the saved description when editing began. */
type DescriptionDraft = { text: string; base: string };

/** The description, edited in place. Changes that somebody else saves meanwhile are shown before they are replaced. */
export function TicketDescription({ ticket }: { ticket: TicketDetails }) {
  const [draft, keep] = useDraft<DescriptionDraft>(`tickets/${ticket.id}/description`);
  const [editing, setEditing] = useState(false);
  const isEditing = useRef(false);
  useLayoutEffect(() => {
    isEditing.current = editing;
    return () => {
      isEditing.current = false;
    };
  }, [editing]);
  const isAllSaved = useRef(true);
  const tick = useTick(ticket);
  const refusedTexts = useRefusedTexts(ticket.id);
  const change = useChangeTicket(ticket.id, {
    saved: ({ description = "" }) =>
      keep((now) => {
        isAllSaved.current = now === undefined || now.text === description;
        return isAllSaved.current ? undefined : now && { ...now, base: description };
      }),
    refused: (error) => refusedTexts(error) || isEditing.current, // the editor shows the error
  });
  const saving = change.isPending && draft?.text === change.variables.description;
  const conflict = draft !== undefined && draft.base !== ticket.description && !change.isPending;
  const changedBy = useChangedBy(ticket.id, "description", conflict ? ticket.description : undefined);
  const close = () => {
    setEditing(false);
    change.reset();
    keepFocusAt("#ticket-description");
  };
  const leave = () => {
    close();
    if (draft?.text === ticket.description) keep(undefined);
  };
  const discard = () => {
    keep(undefined);
    close();
  };
  const save = () => {
    if (draft === undefined || draft.text === ticket.description) return discard();
    change.mutate(
      { description: draft.text, basedOn: { description: ticket.description } },
      {
        onSuccess: () => isAllSaved.current && close(), // text typed during the request is not saved yet
      },
    );
  };
  if (editing) {
    return (
      <Editor
        ticketId={ticket.id}
        draft={draft ?? { text: ticket.description, base: ticket.description }}
        theirs={conflict ? { text: ticket.description, changedBy } : undefined}
        error={conflict ? null : change.error}
        busy={change.isPending}
        keep={keep}
        leave={leave}
        save={save}
        discard={discard}
      />
    );
  }
  return (
    <section aria-label="Description" className="group/description px-2">
      {draft !== undefined && !saving && (
        <div className="mb-2">
          <UnsavedNotice
            what="description"
            {...(conflict && { says: `${changedBy} changed the description while you were editing it.` })}
            save={() => setEditing(true)}
            saveLabel={conflict ? "Compare and keep editing" : "Keep editing"}
            discard={discard}
          />
        </div>
      )}
      {ticket.description && (
        <RichText
          text={ticket.description}
          tick={draft === undefined ? tick : undefined}
          source={{ ticketId: ticket.id }}
        />
      )}
      <Button
        small
        look="quiet"
        id="ticket-description"
        title="Edit the description (E)"
        className={ticket.description ? "mt-1 -ml-2" : "-ml-2"}
        onClick={() => setEditing(true)}
      >
        {ticket.description ? "Edit the description" : "Add a description"}
      </Button>
    </section>
  );
}

/** Ticks tasks in the description, unless somebody else has changed it. */
function useTick({ id, description }: TicketDetails) {
  const queryClient = useQueryClient();
  const { mutate } = useChangeTicket(id, {
    refused: (error) => {
      if (!isRefused(error, "text_changed")) return false;
      void queryClient.invalidateQueries({ queryKey: ticketQuery(id).queryKey });
      tellFailed("Could not change the task: the description has just been changed. Tick it again");
      return true;
    },
  });
  return (line: number, done: boolean) =>
    mutate({ description: withTask(description, line, done), basedOn: { description } });
}

function Editor({
  ticketId,
  draft,
  theirs,
  error,
  busy,
  keep,
  leave,
  save,
  discard,
}: {
  ticketId: string;
  draft: DescriptionDraft;
  theirs: { text: string; changedBy: string } | undefined;
  error: Error | null;
  busy: boolean;
  keep: (next: DescriptionDraft | ((now: DescriptionDraft | undefined) => DescriptionDraft)) => void;
  leave: () => void;
  save: () => void;
  discard: () => void;
}) {
  const problem = tooLong(draft.text, descriptionLengthMax);
  const field = useRef<HTMLTextAreaElement>(null);
  const images = useImages(ticketId, field, (text) => keep((now = draft) => ({ ...now, text })));
  useEffect(() => {
    const end = field.current?.value.length ?? 0;
    field.current?.focus();
    field.current?.setSelectionRange(end, end);
  }, []);
  return (
    <section aria-labelledby="description" className="px-2">
      <h2 id="description" className="mb-2 text-sm font-semibold">
        Description
      </h2>
      {theirs !== undefined && (
        <div role="alert" className="mb-2 flex flex-col gap-2 rounded-md bg-warn-soft p-3 text-sm text-warn-ink">
          <p>
            {theirs.changedBy} changed the description while you were editing it. Their changes are shown here, your
            text is below. Save to replace their version.
          </p>
          <div className="rounded-md bg-surface text-ink">
            <TextDifference before={draft.base} after={theirs.text} label="Their changes" />
          </div>
          <div className="flex gap-2">
            <Button small onClick={discard}>
              Use theirs
            </Button>
          </div>
        </div>
      )}
      <textarea
        ref={field}
        aria-labelledby="description"
        aria-invalid={problem ? true : undefined}
        dir="auto"
        rows={6}
        value={draft.text}
        {...images.handlers}
        onChange={(event) => keep({ ...draft, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !problem && !busy) save();
          if (event.key === "Escape") {
            event.stopPropagation(); // it must not close the card as well
            leave();
          }
        }}
        className={`${controlClass} field-sizing-content max-h-[60vh] min-h-36 py-2 leading-6`}
      />
      <FormError error={error} />
      <div className="mt-2 flex flex-wrap items-center justify-end gap-2">
        <p role="status" className={`mr-auto text-xs ${problem ? "text-danger-ink" : "text-muted"}`}>
          {problem ?? "Markdown. Your text is kept until you save or discard it."}
        </p>
        <ImagesState images={images} />
        <AddImage images={images} />
        <Button small look="quiet" onClick={discard}>
          Discard
        </Button>
        <Button small look="primary" disabled={problem !== undefined} busy={busy} onClick={save}>
          {theirs !== undefined ? "Replace theirs" : error ? "Retry" : "Save"}
        </Button>
      </div>
    </section>
  );
}
