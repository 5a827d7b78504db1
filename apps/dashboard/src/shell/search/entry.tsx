import type { ComponentType, ReactNode } from "react";

/** The lists that an entry opens in the place of all others. */
export type ListName = "assign" | "prioritise" | "label" | "move" | "card-on" | "board-in";

/** A line of the search: it acts, opens a list of choices, or shows a dialog. */
export type Entry = {
  id: string;
  group: string;
  label: string;
  hint?: string | undefined;
  /** The key that does it where the search is not open. */
  shortcut?: string | undefined;
  mark: ReactNode;
  does: { act: () => void } | { list: ListName } | { dialog: (close: () => void) => ReactNode };
};

/** The icon before an entry. */
export const sign = (Icon: ComponentType<{ className?: string }>): ReactNode => (
  <Icon className="size-4 shrink-0 text-muted" />
);

/** Whether a text is in what an entry says. */
export const has = ({ label, hint = "" }: Entry, wanted: string): boolean =>
  `${label} ${hint}`.toLocaleLowerCase().includes(wanted);

/** Whether what an entry says begins with a text that is typed. */
export const begins = ({ label }: Entry, wanted: string): boolean =>
  wanted !== "" && label.toLocaleLowerCase().startsWith(wanted);
