import { labelLengthMax, labelsMax } from "@lodge/contract/limits";
import { Tag, X } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { chipClass } from "../../ui/choice.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { tooLong } from "../../ui/length.ts";

/** The labels of a card: each can be removed, and new ones are typed, one after the other. */
export function Labels({ labels, save }: { labels: readonly string[]; save: (labels: string[]) => void }) {
  const [typed, setTyped] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  /** Whether the person left the field by Escape, or by Enter without a text. */
  const left = useRef(false);
  const label = typed?.trim() ?? "";
  const problem = tooLong(label, labelLengthMax);
  const keep = () => {
    if (label !== "" && !problem && !labels.includes(label)) save([...labels, label]);
  };
  const leave = () => {
    left.current = true;
    setTyped(undefined);
    requestAnimationFrame(() => button.current?.focus());
  };
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (problem) return;
    if (label === "") return leave();
    keep();
    setTyped("");
  };
  return (
    <>
      {labels.map((name) => (
        <span key={name} dir="auto" className={`flex items-center ${chipClass} pr-1`}>
          <Tag aria-hidden className="size-3.5 shrink-0 text-muted" />
          <span className="truncate">{name}</span>
          <button
            type="button"
            aria-label={`Remove the label ${name}`}
            onClick={() => {
              keepFocusAt("#ticket-labels");
              save(labels.filter((other) => other !== name));
            }}
            className="inline-flex size-5 items-center justify-center rounded-full text-muted hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </span>
      ))}
      {typed !== undefined ? (
        <form onSubmit={add} className="flex max-w-full items-center gap-1">
          <input
            aria-label="Label"
            aria-invalid={problem ? true : undefined}
            dir="auto"
            // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={() => {
              if (!left.current) keep(); // a click elsewhere is no reason to lose what was typed
              setTyped(undefined);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
              event.stopPropagation(); // this one is not for closing the card
              leave();
            }}
            className={`${chipClass} w-40 outline-accent`}
          />
          {problem && (
            <span role="alert" className="text-xs text-danger-ink">
              {problem}
            </span>
          )}
        </form>
      ) : (
        labels.length < labelsMax && (
          <button
            ref={button}
            id="ticket-labels"
            type="button"
            title="Add label (L)"
            aria-keyshortcuts="l"
            onClick={() => {
              left.current = false;
              setTyped("");
            }}
            className={`flex items-center ${chipClass} text-muted`}
          >
            <Tag aria-hidden className="size-3.5 shrink-0" />
            Add label
          </button>
        )
      )}
    </>
  );
}
