import type { TopProblems } from "@lodge/contract/dashboard/inbox";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { fillBuckets } from "./get-inbox-histogram.ts";
import { isInState, type ProblemRow, problemColumns, toProblem } from "./inbox-rows.ts";

const listedMax = 5;
const days = 14;
const dayMs = 86_400_000;

type Row = ProblemRow & { app_name: string };

/** The five newest and the five most frequent open problems of all apps of an organisation, with their last 14 days. */
export async function listTopProblems({ db, clock }: Deps, { organisationId }: Actor): Promise<TopProblems> {
  const now = clock.now();
  // Takes the first problems of each app by index, then the first of those.
  const first = (order: RawBuilder<unknown>) => sql<Row>`
    select p.* from apps cross join lateral (
      select ${problemColumns(now)}, apps.name as app_name from problems p
      where p.app_id = apps.id and ${isInState("open", now)} order by ${order} limit ${sql.lit(listedMax)}) p
    where apps.organisation_id = ${organisationId} and apps.deleted_at is null
    order by ${order} limit ${sql.lit(listedMax)}`;
  const { rows: newest } = await first(sql`p.id desc`).execute(db);
  const { rows: frequent } = await first(sql`p.event_count desc, p.last_seen_at desc, p.id desc`).execute(db);
  const shown = [...new Map([...newest, ...frequent].map((row) => [row.id, row])).values()];
  const start = (Math.floor(now.getTime() / dayMs) - days + 1) * dayMs;
  const { rows: counts } = await sql<{ problem_id: string; at: Date; event_count: number }>`
    select h.problem_id, d.day::timestamp at time zone 'UTC' as at, sum(d.event_count) as event_count
    from unnest(${shown.map(({ app_id }) => app_id)}::uuid[], ${shown.map(({ id }) => id)}::uuid[]) as shown (app_id, id)
    join problem_hashes h on h.app_id = shown.app_id and h.problem_id = shown.id
    join problem_days d on d.app_id = h.app_id and d.hash = h.hash
    where d.day >= ${new Date(start).toISOString().slice(0, 10)}::date
    group by h.problem_id, d.day`.execute(db);
  const toTop = (row: Row) => ({
    problem: toProblem(row),
    app: { id: row.app_id, name: row.app_name },
    histogram: {
      bucketSeconds: dayMs / 1_000,
      buckets: fillBuckets(
        counts.filter(({ problem_id }) => problem_id === row.id),
        start,
        days,
        dayMs,
      ),
    },
  });
  return { newest: newest.map(toTop), frequent: frequent.map(toTop) };
}
