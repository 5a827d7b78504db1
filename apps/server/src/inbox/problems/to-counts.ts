import type { InboxChoices } from "@lodge/contract/dashboard/inbox";

type Row = { facet: string; event_count: number | string; first_seen_at: Date | string; last_seen_at: Date | string };

/** The facets with a prefix, without the prefix, at most `countsMax` of them: the latest or the most frequent first. */
export const toCounts = (
  rows: readonly Row[],
  prefix: string,
  order: "latest" | "frequent",
  countsMax: number,
): InboxChoices["versions"] =>
  rows
    .filter(({ facet }) => facet.startsWith(prefix))
    .map((row) => ({
      value: row.facet.slice(prefix.length),
      eventCount: Number(row.event_count),
      firstSeenAt: new Date(row.first_seen_at).toISOString(),
      lastSeenAt: new Date(row.last_seen_at).toISOString(),
    }))
    .sort((a, b) => (order === "frequent" ? b.eventCount - a.eventCount : 0) || (a.lastSeenAt < b.lastSeenAt ? 1 : -1))
    .slice(0, countsMax);
