import type { InboxEntry, InboxFilter, InboxPage } from "@lodge/contract/dashboard/inbox";
import type { InfiniteData } from "@tanstack/react-query";

type Order = NonNullable<InboxFilter["order"]>;

/**
 * The pages of an inbox with a new first page. The other pages keep only entries that sort below it and are not on it:
 * a problem that sorts above but is not on the new page has moved or is gone.
 */
export function withTop(shown: InfiniteData<InboxPage>, top: InboxPage, order: Order): InfiniteData<InboxPage> {
  const bottom = top.entries.at(-1);
  const [first, ...others] = shown.pages;
  if (!first || !bottom || others.length === 0 || top.nextCursor === null) return { pages: [top], pageParams: [""] };
  const isTop = new Set(top.entries.map(idOf));
  const below = ({ entries }: InboxPage) =>
    entries.filter((entry) => !isTop.has(idOf(entry)) && compare(entry, bottom, order) > 0);
  return {
    ...shown,
    pages: [
      { ...first, entries: [...top.entries, ...below(first)] },
      ...others.map((page) => ({ ...page, entries: below(page) })),
    ],
  };
}

const idOf = (entry: InboxEntry) => (entry.type === "problem" ? entry.problem.id : entry.event.id);
const timeOf = (entry: InboxEntry) => (entry.type === "problem" ? entry.problem.lastSeenAt : entry.event.receivedAt);
const countOf = (entry: InboxEntry) => (entry.type === "problem" ? entry.problem.eventCount : 1);

/** Less than 0 if `a` comes before `b`, in the server's order. */
function compare(a: InboxEntry, b: InboxEntry, order: Order): number {
  const byCount = order === "frequent" ? countOf(b) - countOf(a) : 0;
  return byCount || (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : idOf(a) < idOf(b) ? 1 : -1);
}
