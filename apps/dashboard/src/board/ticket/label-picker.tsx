import { labelLengthMax } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, Plus, Settings2 } from "lucide-react";
import { type ReactNode, useId } from "react";
import { labelsQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { controlClass } from "../../ui/field.tsx";
import { tooLong } from "../../ui/length.ts";
import { type Opened, Popup } from "../../ui/popup.tsx";
import { useMarked } from "../../ui/use-marked.ts";
import { isInvisible } from "../../ui/visible-text.ts";
import { LabelName } from "./label-name.tsx";

/** The number of labels in a response. If there may be more, the server searches for the typed text. */
const listedMax = 1_000;
/** The number of labels shown. Typing finds the others. */
const shownMax = 100;

/** The chosen labels, and `choose`, which adds or removes one. */
export type LabelChoice = {
  chosen: readonly string[];
  choose: (name: string) => void;
  /** The text that was typed but not chosen. It is there when the picker opens again. */
  typed: string;
  setTyped: (typed: string) => void;
  /** Whether a label can be created. */
  creates?: boolean;
  /** An entry above the labels that chooses none of them. Only if at most one can be chosen. */
  any?: string;
  /** A label that cannot be chosen. */
  without?: string;
};

/** Chooses labels. Typing searches, Enter chooses the active option, and a new name creates a label. */
export function LabelPicker({
  chosen,
  choose,
  typed,
  setTyped,
  creates = true,
  any,
  without,
  close,
  ...opened
}: LabelChoice & Opened & { close: () => void }) {
  const found = useLabelNames(typed.trim(), chosen);
  const label = typed.trim();
  const problem = tooLong(label, labelLengthMax);
  const isNew = creates && !isInvisible(label) && !problem && !found.includes(label);
  const names = found.filter((name) => name !== without).slice(0, shownMax);
  const options: { key: string; name: string; isChosen?: boolean; shown: ReactNode }[] = [
    ...(any && label === "" ? [{ key: "any", name: "", isChosen: chosen.length === 0, shown: any }] : []),
    ...names.map((name) => ({
      key: `label ${name}`,
      name,
      isChosen: chosen.includes(name),
      shown: <LabelName name={name} className="truncate px-2" />,
    })),
    ...(isNew ? [{ key: "new", name: label, shown: <NewLabel name={label} /> }] : []),
  ];
  const take = (name: string) => {
    setTyped("");
    choose(name);
  };
  const listId = useId();
  const { active, mark, onKeyDown } = useMarked(options.length, typed, (index) => take(options[index]?.name ?? ""), {
    leave: () => setTyped(""),
  });
  return (
    <Popup
      {...opened}
      byKeys // moves the focus to the field, however the popup was opened
      role="dialog"
      label={creates ? "Choose labels" : "Choose a label"}
      close={close}
      className="flex w-72 max-w-[calc(100vw-1rem)] flex-col"
    >
      <div className="p-2 pb-1">
        <input
          role="combobox"
          aria-label={creates ? "Find or create a label" : "Find a label"}
          placeholder={creates ? "Find or create a label" : "Find a label"}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={options[active] && `${listId}-${active}`}
          aria-invalid={problem ? true : undefined}
          autoComplete="off"
          dir="auto"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
          className={`${controlClass} h-8`}
        />
        {problem && (
          <p role="alert" className="mt-1 text-xs text-danger-ink">
            {problem}
          </p>
        )}
      </div>
      <div
        role="listbox"
        id={listId}
        aria-label="Labels"
        aria-multiselectable={creates}
        className="max-h-64 min-h-0 overflow-y-auto p-1"
      >
        {options.map(({ key, name, isChosen = false, shown }, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and references the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={isChosen}
            data-active={index === active || undefined}
            onPointerMove={() => mark(index)}
            onPointerDown={(event) => event.preventDefault()} // keeps the focus in the field
            onClick={() => take(name)}
            className="flex h-8 items-center gap-2 rounded-md px-2 data-active:bg-hover"
          >
            <span className="size-4 shrink-0 text-accent-ink">
              {isChosen && <Check aria-hidden className="size-4" />}
            </span>
            {shown}
          </div>
        ))}
        {options.length === 0 && <p className="px-2 py-1.5 text-sm text-muted">No labels found</p>}
      </div>
      {found.length > shownMax && <p className="px-3 pb-1 text-xs text-muted">Type to find more labels.</p>}
      {creates && <ManageLabels />}
    </Popup>
  );
}

function ManageLabels() {
  const { organisation } = useSession();
  if (organisation.role === "member") return null;
  return (
    <Link
      to="/labels"
      className="flex items-center gap-2 border-t border-line px-3 py-2 text-sm text-muted hover:text-ink"
    >
      <Settings2 aria-hidden className="size-4" />
      Manage labels
    </Link>
  );
}

const NewLabel = ({ name }: { name: string }) => (
  <span className="flex min-w-0 items-center gap-1.5">
    <Plus aria-hidden className="size-3.5 shrink-0" />
    Create
    <LabelName name={name} className="truncate px-2" />
  </span>
);

/** The labels that contain a text, including newly created ones: first exact matches, then those that begin with it. */
export function useLabelNames(text: string, chosen: readonly string[], enabled = true): string[] {
  const { data: all } = useQuery({ ...labelsQuery(), enabled });
  const isCut = all?.labels.length === listedMax;
  const { data: found } = useQuery({ ...labelsQuery(text), enabled: isCut && text !== "" });
  const { labels = [] } = (isCut && text !== "" && found) || all || {};
  const wanted = text.toLowerCase();
  const rank = (name: string) => (name === text ? 0 : name.toLowerCase().startsWith(wanted) ? 1 : 2);
  return [...new Set([...labels.map(({ name }) => name), ...chosen])]
    .filter((name) => name.toLowerCase().includes(wanted))
    .sort((name, other) => rank(name) - rank(other) || name.localeCompare(other));
}
