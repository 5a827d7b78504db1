import type { BoardSearch, CardFilter } from "@lodge/contract/dashboard/boards";
import { priorityLabels } from "../ticket/priority.tsx";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const oneOf = (...values: string[]) => new RegExp(`^(?:${values.join("|")})$`);
const fits: { [Name in Exclude<keyof BoardSearch, "open">]-?: readonly RegExp[] } = {
  q: [/./],
  assignee: [uuid, oneOf("me", "none")],
  priority: [oneOf(...Object.keys(priorityLabels))],
  label: [/./],
  author: [uuid, oneOf("me", "person", "token", "app")],
  due: [oneOf("overdue", "today", "week")],
  filed: [oneOf("today", "week", "month")],
};

/** Reads the filter from an address; the rest is left out. */
export function readBoardSearch(search: Record<string, unknown>): BoardSearch {
  const texts = Object.entries(fits).flatMap(([name, patterns]) => {
    // The router reads what looks like a number as one.
    const value = typeof search[name] === "number" ? String(search[name]) : search[name];
    return typeof value === "string" && patterns.some((pattern) => pattern.test(value)) ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(texts), ...(search.open === true && { open: true }) };
}

/** The days from today on that are meant, and how many days back `filed` reaches. */
const weekDays = 7;
const filedDays = { today: 1, week: 7, month: 30 };

/** The filter that an address means to this person on this day, as the server takes it. */
export function toFilter({ q, assignee, author, due, filed, open, ...same }: BoardSearch, userId: string): CardFilter {
  return {
    ...same,
    ...(q && { text: q }),
    ...(assignee && { assignee: assignee === "me" ? userId : assignee }),
    ...(author && { author: author === "me" ? userId : author }),
    ...(due === "overdue" && { dueUntil: dayFromToday(-1) }),
    ...(due === "today" && { dueFrom: dayFromToday(0), dueUntil: dayFromToday(0) }),
    ...(due === "week" && { dueFrom: dayFromToday(0), dueUntil: dayFromToday(weekDays) }),
    ...(filed && { createdFrom: midnight(1 - filedDays[filed]).toISOString() }),
    ...((open || due === "overdue") && { open: "true" as const }),
  };
}

function midnight(daysFromToday: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysFromToday);
}

/** A day as YYYY-MM-DD, where the reader is. */
function dayFromToday(days: number): string {
  const date = midnight(days);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
