import type { BoardSearch } from "@lodge/contract/dashboard/boards";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const oneOf = (...values: string[]) => new RegExp(`^(?:${values.join("|")})$`);
const fits: { [Name in Exclude<keyof BoardSearch, "open">]-?: readonly RegExp[] } = {
  q: [/./],
  assignee: [uuid, oneOf("me", "none")],
  priority: [oneOf("none", "low", "medium", "high")],
  label: [/./],
  author: [uuid, oneOf("me", "person", "token", "app")],
  due: [oneOf("overdue", "today", "week")],
  filed: [oneOf("today", "week", "month")],
  view: [oneOf("list")],
  sort: [oneOf("createdAt", "updatedAt", "dueAt", "priority", "position")],
  group: [oneOf("column", "assignee", "label", "priority", "author")],
};

/** Parses the filter from search parameters, ignoring unknown and invalid ones. */
export function readBoardSearch(search: Record<string, unknown>): BoardSearch {
  const texts = Object.entries(fits).flatMap(([name, patterns]) => {
    // The router parses numeric values as numbers.
    const value = typeof search[name] === "number" ? String(search[name]) : search[name];
    return typeof value === "string" && patterns.some((pattern) => pattern.test(value)) ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(texts), ...(search.open === true && { open: true }) };
}
