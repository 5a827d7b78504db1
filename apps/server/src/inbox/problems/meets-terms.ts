import { type RawBuilder, sql } from "kysely";
import type { Search } from "./parse-search.ts";

const dayMs = 86_400_000;

/** That `problems as p` have been seen with a facet of events, as `version:1.4.0`. */
export const hasFacet = (facet: string): RawBuilder<unknown> => sql`exists (
  select from problem_hashes h join problem_facets f on f.app_id = h.app_id and f.hash = h.hash and f.facet = ${facet}
  where h.app_id = p.app_id and h.problem_id = p.id)`;

/** That `problems as p` meet the terms of a search that are about neither a text nor a user. */
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
