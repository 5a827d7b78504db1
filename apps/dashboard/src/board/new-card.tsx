import { createTicket } from "@lodge/contract/calls.generated";
import type { ColumnSummary } from "@lodge/contract/dashboard/boards";
import type { CreateTicket } from "@lodge/contract/dashboard/tickets";
import { titleLengthMax } from "@lodge/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../api/call.ts";
import { adoptCard, toldSoFar } from "../api/told.ts";
import { Button } from "../ui/button.tsx";
import { controlClass } from "../ui/field.tsx";
import { FormError } from "../ui/notice.tsx";

/** Files cards on top of a column, one after the other; Enter files, Escape ends it. */
export function NewCard({ column, close }: { column: ColumnSummary; close: () => void }) {
  const queryClient = useQueryClient();
  const [title, setTitle] = useState("");
  const file = useMutation({
    mutationFn: async (body: CreateTicket) => {
      const sent = toldSoFar();
      return { sent, card: await call(createTicket, { body }) };
    },
    scope: { id: "new-card" }, // one after the other, in the order in which they were written
    onSuccess: ({ sent, card }) => {
      const { id: ticketId, board, columnId } = card;
      adoptCard(queryClient, card, { kind: "ticket.filed", ticketId, boardId: board.id, columnId }, sent);
    },
    onError: (_error, { title: written }) => setTitle((next) => next || written),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!title.trim()) return;
    file.mutate({ title: title.trim(), columnId: column.id });
    setTitle("");
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && close()}
      className="mb-2 flex flex-col gap-2 rounded-lg border border-line bg-surface p-2 shadow-card"
    >
      <textarea
        aria-label={`Title of the new card in ${column.name}`}
        placeholder="What is to be done?"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        rows={2}
        maxLength={titleLengthMax}
        value={title}
        onChange={(event) => setTitle(event.target.value.replaceAll("\n", " "))}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) submit(event);
        }}
        className={`${controlClass} resize-none py-1.5`}
      />
      <FormError error={file.error} />
      <div className="flex justify-end gap-2">
        <Button small look="quiet" onClick={close}>
          Close
        </Button>
        <Button small look="primary" type="submit" disabled={!title.trim()}>
          Add the card
        </Button>
      </div>
    </form>
  );
}
