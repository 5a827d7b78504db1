import type { ComponentType, ReactNode } from "react";

/** The lists of choices that an entry can open. */
export type ListName = "assign" | "prioritise" | "label" | "move" | "card-on" | "board-in";

/** An entry of the search. It acts, opens a list of choices, or shows a dialog. */
export type Entry = {
  id: string;
  group: string;
  label: string;
  hint?: string | undefined;
  /** The shortcut outside of the search. */
  shortcut?: string | undefined;
  mark: ReactNode;
  does: { act: () => void } | { list: ListName } | { dialog: (close: () => void) => ReactNode };
};

/** The icon of an entry. */
export const sign = (Icon: ComponentType<{ className?: string }>): ReactNode => (
  <Icon className="size-4 shrink-0 text-muted" />
);

/** Whether an entry contains a text. */
export const has = ({ label, hint = "" }: Entry, wanted: string): boolean =>
  `${label} ${hint}`.toLocaleLowerCase().includes(wanted);

/** Whether an entry begins with the typed text. */
export const begins = ({ label }: Entry, wanted: string): boolean =>
  wanted !== "" && label.toLocaleLowerCase().startsWith(wanted);
