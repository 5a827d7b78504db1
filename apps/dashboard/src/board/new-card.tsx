import type { ColumnSummary } from "@lodge/contract/dashboard/boards";
import { titleLengthMax } from "@lodge/contract/limits";
import type { FormEvent } from "react";
import { Button } from "../ui/button.tsx";
import { controlClass } from "../ui/field.tsx";
import { tooLong } from "../ui/length.ts";
import { FormError } from "../ui/notice.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { isInvisible } from "../ui/visible-text.ts";
import { newCardDraft } from "./use-new-cards.ts";

/** The id of the button that opens the form for a new card of a column. */
export const newCardButtonId = (columnId: string) => `new-card-${columnId}`;

/**
 * Files cards on top of a column, one after the other. Enter files; Escape closes it, and what was written is there when it
 * opens again, in whichever column of the board.
 */
export function NewCardForm({
  boardId,
  column,
  file,
  error,
  close,
}: {
  boardId: string;
  column: ColumnSummary;
  file: (title: string) => void;
  error: unknown;
  close: () => void;
}) {
  const [draft = "", keepDraft] = useDraft<string>(newCardDraft(boardId));
  const title = draft.trim();
  const problem = tooLong(title, titleLengthMax);
  const isFileable = !isInvisible(title) && !problem;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFileable) file(title);
  };
  const closeToButton = () => {
    close();
    document.getElementById(newCardButtonId(column.id))?.focus();
  };
  const discard = () => {
    keepDraft(undefined);
    closeToButton();
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && closeToButton()}
      className="m-1 flex flex-col gap-2 rounded-lg border border-line bg-surface p-2 shadow-card"
    >
      <textarea
        aria-label={`Title of the new card in ${column.name}`}
        placeholder="What is to be done?"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        rows={2}
        dir="auto"
        aria-invalid={problem ? true : undefined}
        value={draft}
        onChange={(event) => keepDraft(event.target.value.replaceAll("\n", " ") || undefined)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) submit(event);
        }}
        className={`${controlClass} resize-none py-1.5`}
      />
      {problem && (
        <p role="status" className="text-xs text-danger-ink">
          {problem}
        </p>
      )}
      <FormError error={error} />
      <div className="flex justify-end gap-2">
        <Button small look="quiet" onClick={discard}>
          {draft ? "Discard" : "Close"}
        </Button>
        <Button small look="primary" type="submit" disabled={!isFileable}>
          Add the card
        </Button>
      </div>
    </form>
  );
}
