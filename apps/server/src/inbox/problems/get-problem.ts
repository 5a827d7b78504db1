import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { fillBuckets } from "./get-inbox-histogram.ts";
import { type ProblemRow, problemColumns, toProblem } from "./inbox-rows.ts";
import { listReportCards, ofProblem } from "./list-report-cards.ts";
import { toCounts } from "./to-counts.ts";

const listedMax = 100;
const dayMs = 86_400_000;
const days = 30;

type HashRow = {
  hash: string;
  rule: ProblemDetails["hashes"][number]["rule"];
  rule_version: number;
  retired: boolean;
  strings: string[];
  event_count: number;
  last_seen_at: Date;
};

/** A problem of the organisation with everything that its page shows. Throws `problem_not_found`. */
export async function getProblem(deps: Deps, { organisationId }: Actor, problemId: string): Promise<ProblemDetails> {
  const { db, clock, urls } = deps;
  const now = clock.now();
  const { rows: found } = await sql<
    ProblemRow & { app_name: string; first_event_id: string; first_version: string | null; dropped_count: number }
  >`
    select ${problemColumns(now)}, p.first_event_id, p.first_version, apps.name as app_name,
      (select sum(dropped_count)::bigint from problem_hashes h where h.app_id = p.app_id and h.problem_id = p.id) as dropped_count
    from problems p join apps on apps.id = p.app_id and apps.deleted_at is null
    where p.organisation_id = ${organisationId} and p.id = ${problemId}`.execute(db);
  const [row] = found;
  if (!row) throw new Refusal("problem_not_found");
  const { rows: hashes } = await sql<HashRow>`
    select hash, rule, rule_version, retired, strings, event_count, last_seen_at from problem_hashes
    where app_id = ${row.app_id} and problem_id = ${row.id} order by event_count desc, hash limit ${sql.lit(listedMax)}`.execute(
    db,
  );
  const { rows: facets } = await sql<Parameters<typeof toCounts>[0][number]>`
    select facet, sum(f.event_count) as event_count, min(f.first_seen_at) as first_seen_at, max(f.last_seen_at) as last_seen_at
    from problem_hashes h join problem_facets f on f.app_id = h.app_id and f.hash = h.hash
    where h.app_id = ${row.app_id} and h.problem_id = ${row.id} group by facet`.execute(db);
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const start = today - (days - 1) * dayMs;
  const { rows: counts } = await sql<{ at: Date; event_count: number }>`
    select d.day::timestamp at time zone 'UTC' as at, sum(d.event_count) as event_count
    from problem_hashes h join problem_days d on d.app_id = h.app_id and d.hash = h.hash
    where h.app_id = ${row.app_id} and h.problem_id = ${row.id} and d.day >= ${new Date(start).toISOString().slice(0, 10)}::date
    group by d.day`.execute(db);
  return {
    ...toProblem(row),
    app: { id: row.app_id, name: row.app_name },
    firstEventId: row.first_event_id,
    firstVersion: row.first_version,
    droppedEventCount: row.dropped_count,
    hashes: hashes.map(({ hash, rule, rule_version, retired, strings, event_count, last_seen_at }) => ({
      hash,
      rule,
      ruleVersion: rule_version,
      isRetired: retired,
      strings,
      eventCount: event_count,
      lastSeenAt: last_seen_at.toISOString(),
    })),
    versions: toCounts(facets, "version:", "latest", listedMax),
    environments: toCounts(facets, "environment:", "frequent", listedMax),
    browsers: toCounts(facets, "browser:", "frequent", listedMax),
    operatingSystems: toCounts(facets, "os:", "frequent", listedMax),
    tags: toCounts(facets, "tag:", "frequent", listedMax),
    histogram: { bucketSeconds: dayMs / 1_000, buckets: fillBuckets(counts, start, days, dayMs) },
    cards: await listReportCards(deps, organisationId, ofProblem(row.app_id, row.id)),
    url: `${urls.base}/problems/${row.id}`,
  };
}
