import { labelsMax } from "@lodge/contract/limits";
import { Tag, X } from "lucide-react";
import { chipClass } from "../../ui/choice.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { LabelButton } from "./label-button.tsx";
import { LabelName } from "./label-name.tsx";

/** Toggles a label in a list, unless the list is full. */
export const withOrWithout = (labels: readonly string[], name: string): string[] =>
  labels.includes(name) ? labels.filter((other) => other !== name) : [...labels, name].slice(0, labelsMax);

/** The labels of a card, with buttons that remove them and a picker that adds others. */
export function Labels({
  labels,
  save,
  id,
}: {
  labels: readonly string[];
  save: (labels: string[]) => void;
  /** The id of the button that opens the picker. */
  id: string;
}) {
  return (
    <>
      {labels.map((name) => (
        <LabelName key={name} name={name} className="flex h-7 items-center pr-1 pl-2.5 text-sm">
          <button
            type="button"
            aria-label={`Remove the label ${name}`}
            onClick={() => {
              keepFocusAt(`#${id}`);
              save(withOrWithout(labels, name));
            }}
            className="inline-flex size-5 shrink-0 items-center justify-center rounded-full"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </LabelName>
      ))}
      <LabelButton
        chosen={labels}
        choose={(name) => save(withOrWithout(labels, name))}
        trigger={(typed) => (
          <button
            id={id}
            type="button"
            title="Add label (L)"
            aria-keyshortcuts="l"
            className={`flex items-center ${chipClass} text-muted`}
          >
            <Tag aria-hidden className="size-3.5 shrink-0" />
            {typed === "" ? "Add label" : <span className="truncate">“{typed}” not added</span>}
          </button>
        )}
      />
    </>
  );
}
