import type { ColumnSummary } from "@lodge/contract/dashboard/boards";
import { descriptionLengthMax, titleLengthMax } from "@lodge/contract/limits";
import { AlignLeft, Tag } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useRef } from "react";
import { flushSync } from "react-dom";
import { useDraft } from "../../session/use-draft.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { controlClass } from "../../ui/field.tsx";
import { tooLong } from "../../ui/length.ts";
import { isInvisible } from "../../ui/visible-text.ts";
import { type CardDraft, newCardDraft } from "../send-later.ts";
import { AddImage, ImagesState } from "../ticket/add-image.tsx";
import { LabelButton } from "../ticket/label-button.tsx";
import { LabelName } from "../ticket/label-name.tsx";
import { withOrWithout } from "../ticket/labels.tsx";
import { useImages } from "../ticket/use-images.ts";
import { nextDraft } from "./use-new-cards.ts";

/** The id of the button that opens a column's new-card form. */
export const newCardButtonId = (columnId: string) => `new-card-${columnId}`;

const empty: CardDraft = { title: "" };

/**
 * The form that files cards on top of a column, with an optional description and images. Enter files a card. Escape
 * closes the form and keeps the draft, which reappears when the form opens in any column of the board.
 */
export function NewCardForm({
  boardId,
  column,
  file,
  close,
}: {
  boardId: string;
  column: ColumnSummary;
  file: (card: CardDraft) => void;
  close: () => void;
}) {
  const [draft = empty, keepDraft] = useDraft<CardDraft>(newCardDraft(boardId));
  const titleField = useRef<HTMLTextAreaElement>(null);
  const descriptionField = useRef<HTMLTextAreaElement>(null);
  const change = (changed: Partial<CardDraft>) =>
    keepDraft((now = empty) => {
      const next = { ...now, ...changed };
      return next.title || next.description !== undefined || next.labels?.length || next.failed ? next : undefined;
    });
  const images = useImages(undefined, descriptionField, (description) => change({ description }));
  const describe = () => change({ description: draft.description ?? "" });
  const title = draft.title.trim();
  const description = draft.description?.trim() ?? "";
  const problem = tooLong(title, titleLengthMax) ?? tooLong(description, descriptionLengthMax);
  const isFileable = !isInvisible(title) && !problem && images.underWay === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isFileable) return;
    file({ title, description, labels: draft.labels });
    titleField.current?.focus();
  };
  const submitByEnter = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.nativeEvent.isComposing) submit(event);
  };
  const closeToButton = () => {
    close();
    document.getElementById(newCardButtonId(column.id))?.focus();
  };
  const discard = () => {
    keepDraft(nextDraft);
    closeToButton();
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && !event.nativeEvent.isComposing && closeToButton()}
      className="m-1 flex flex-col gap-2 rounded-lg border border-line bg-surface p-2 shadow-card"
    >
      <textarea
        ref={titleField}
        aria-label={`Title of the new card in ${column.name}`}
        placeholder="Card title"
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        rows={2}
        dir="auto"
        aria-invalid={problem ? true : undefined}
        value={draft.title}
        {...images.handlers}
        onPaste={(event) => {
          images.handlers.onPaste(event);
          if (event.defaultPrevented) describe(); // images go into the description
        }}
        onDrop={(event) => {
          images.handlers.onDrop(event);
          if (event.defaultPrevented) describe();
        }}
        onChange={(event) => change({ title: event.target.value.replaceAll("\n", " ") })}
        onKeyDown={submitByEnter}
        className={`${controlClass} resize-none py-1.5`}
      />
      {draft.description !== undefined && (
        <textarea
          ref={descriptionField}
          aria-label={`Description of the new card in ${column.name}`}
          placeholder="Description, in Markdown"
          rows={4}
          dir="auto"
          value={draft.description}
          {...images.handlers}
          onChange={(event) => change({ description: event.target.value })}
          onKeyDown={(event) => (event.ctrlKey || event.metaKey) && submitByEnter(event)}
          className={`${controlClass} field-sizing-content max-h-60 min-h-24 resize-none py-1.5`}
        />
      )}
      {problem && (
        <p role="status" className="text-xs text-danger-ink">
          {problem}
        </p>
      )}
      <ImagesState images={images} />
      <ChosenLabels labels={draft.labels} />
      <div className="flex items-center gap-1">
        {draft.description === undefined && (
          <IconButton
            label="Add a description"
            className="size-7"
            onClick={() => {
              flushSync(describe);
              descriptionField.current?.focus();
            }}
          >
            <AlignLeft aria-hidden className="size-4" />
          </IconButton>
        )}
        <AddImage
          images={{
            ...images,
            add: (files) => {
              describe();
              images.add(files);
            },
          }}
        />
        <ChooseLabels labels={draft.labels} change={(labels) => change({ labels })} />
        <Button small look="quiet" className="ml-auto" onClick={discard}>
          {draft === empty ? "Close" : "Discard"}
        </Button>
        <Button small look="primary" type="submit" disabled={!isFileable}>
          Add card
        </Button>
      </div>
    </form>
  );
}

function ChosenLabels({ labels = [] }: { labels: string[] | undefined }) {
  if (labels.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-1">
      {labels.map((name) => (
        <LabelName key={name} name={name} className="px-1.5 text-xs" />
      ))}
    </div>
  );
}

function ChooseLabels({ labels = [], change }: { labels: string[] | undefined; change: (labels: string[]) => void }) {
  return (
    <LabelButton
      chosen={labels}
      choose={(name) => change(withOrWithout(labels, name))}
      trigger={() => (
        <IconButton label="Labels" className="size-7">
          <Tag aria-hidden className="size-4" />
        </IconButton>
      )}
    />
  );
}
