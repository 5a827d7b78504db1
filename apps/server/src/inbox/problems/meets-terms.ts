import { type RawBuilder, sql } from "kysely";
import type { Search } from "./parse-search.ts";

const dayMs = 86_400_000;

/** The condition that `problems as p` have events with a facet, such as `version:1.4.0`. */
export const hasFacet = (facet: string): RawBuilder<unknown> => sql`exists (
  select from problem_hashes h join problem_facets f on f.app_id = h.app_id and f.hash = h.hash and f.facet = ${facet}
  where h.app_id = p.app_id and h.problem_id = p.id)`;

/** The conditions of a search on `problems as p`, except for texts and users. */
export function meetsTerms({ facets, isNew, isBack }: Search, now: Date): RawBuilder<unknown>[] {
  const yesterday = new Date(now.getTime() - dayMs);
  return [
    ...(isNew ? [sql`p.first_seen_at >= ${yesterday} and p.last_seen_at >= ${yesterday}`] : []),
    ...(isBack
      ? [
          sql`p.state = 'open' and p.reopened_at is not null and p.reopened_at >= coalesce(p.state_changed_at, '-infinity')`,
        ]
      : []),
    ...facets.map(hasFacet),
  ];
}
