import type { CardSort } from "@lodge/contract/dashboard/boards";
import { useSyncExternalStore } from "react";
import { changeSignal } from "./external-store.ts";

/** The names of the orders that a column can be sorted by. Without one, cards are in their manual order. */
export const sortNames: Record<CardSort, string> = {
  priority: "Priority",
  dueAt: "Due date",
  createdAt: "Newest first",
};

/** How a column is displayed on this device. */
type ColumnChoice = { sort?: CardSort | undefined; collapsed?: true | undefined };

const key = "lodge-columns";
/** The most recent choices are kept. */
const columnsMax = 500;
const changes = changeSignal();
let choices: Readonly<Record<string, ColumnChoice>> = read();

function read(): Record<string, ColumnChoice> {
  try {
    return Object(JSON.parse(localStorage.getItem(key) ?? "{}"));
  } catch {
    return {}; // storage is disabled or contains something else
  }
}

addEventListener("storage", (event) => {
  if (event.key !== key) return;
  choices = read();
  changes.emit();
});

/** The order of a column; undefined for the manual order. */
export function sortOf(columnId: string): CardSort | undefined {
  const sort = choices[columnId]?.sort;
  return sort && sort in sortNames ? sort : undefined;
}

/** Whether a column is collapsed to its name. */
export const isCollapsed = (columnId: string | undefined): boolean =>
  columnId !== undefined && choices[columnId]?.collapsed === true;

/** Whether a column is collapsed, updated on every change. */
export const useCollapsed = (columnId: string): boolean =>
  useSyncExternalStore(changes.listen, () => isCollapsed(columnId));

/** Saves how a column is displayed. */
export function chooseForColumn(columnId: string, choice: ColumnChoice) {
  const { [columnId]: before, ...others } = choices;
  const entries = [...Object.entries(others), [columnId, { ...before, ...choice }] as const];
  choices = Object.fromEntries(entries.slice(-columnsMax));
  try {
    localStorage.setItem(key, JSON.stringify(choices));
  } catch {
    // Storage is disabled: the choice lasts as long as the page.
  }
  changes.emit();
}
