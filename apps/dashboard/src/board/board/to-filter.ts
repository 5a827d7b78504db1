import type { BoardSearch, CardFilter } from "@lodge/contract/dashboard/boards";

/** The number of days ahead that `due: week` covers, and the number of days back that each value of `filed` covers. */
const weekDays = 7;
const filedDays = { today: 1, week: 7, month: 30 };

/** The search parameters that control the layout of the cards. */
export const layoutOf = ({ view, sort, group }: BoardSearch): BoardSearch =>
  view ? { view, ...(sort && { sort }), ...(group && { group }) } : {};

/** The search parameters that filter the cards. */
export const filtersOf = ({ view: _, sort: _sort, group: _group, ...filters }: BoardSearch) => filters;

/** Converts search parameters to the API's filter, resolving `me` and dates for the current user and day. */
export function toFilter(search: BoardSearch, userId: string): CardFilter {
  const { q, assignee, author, due, filed, open, ...same } = filtersOf(search);
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

/** A day as YYYY-MM-DD, in the browser's time zone. */
function dayFromToday(days: number): string {
  const date = midnight(days);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
