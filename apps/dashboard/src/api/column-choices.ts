import type { CardSort } from "@lodge/contract/dashboard/boards";
import { useSyncExternalStore } from "react";
import { changeSignal } from "./external-store.ts";

/** The orders that a column can be sorted by, in words; by default its cards have the order that people gave them. */
export const sortNames: Record<CardSort, string> = {
  priority: "Priority",
  dueAt: "Due date",
  createdAt: "Newest first",
};

/** How somebody looks at a column, on this device. */
type ColumnChoice = { sort?: CardSort | undefined; collapsed?: true | undefined };

const key = "lodge-columns";
/** Those that were chosen last are kept. */
const columnsMax = 500;
const changes = changeSignal();
let choices: Readonly<Record<string, ColumnChoice>> = read();

function read(): Record<string, ColumnChoice> {
  try {
    return Object(JSON.parse(localStorage.getItem(key) ?? "{}"));
  } catch {
    return {}; // storage is switched off, or holds something else
  }
}

addEventListener("storage", (event) => {
  if (event.key !== key) return;
  choices = read();
  changes.emit();
});

/** The order of a column; undefined for the order that people gave its cards. */
export function sortOf(columnId: string): CardSort | undefined {
  const sort = choices[columnId]?.sort;
  return sort && sort in sortNames ? sort : undefined;
}

/** Whether a column shows its name alone. */
export const isCollapsed = (columnId: string | undefined): boolean =>
  columnId !== undefined && choices[columnId]?.collapsed === true;

/** Whether a column is collapsed, now and after every change. */
export const useCollapsed = (columnId: string): boolean =>
  useSyncExternalStore(changes.listen, () => isCollapsed(columnId));

/** Chooses how a column looks, from now on. */
export function chooseForColumn(columnId: string, choice: ColumnChoice) {
  const { [columnId]: before, ...others } = choices;
  const entries = [...Object.entries(others), [columnId, { ...before, ...choice }] as const];
  choices = Object.fromEntries(entries.slice(-columnsMax));
  try {
    localStorage.setItem(key, JSON.stringify(choices));
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
  }
  changes.emit();
}
