import type { Figures, InsightQuery, Insights } from "@lodge/contract/dashboard/insights";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { rankSql, ranks, stateSql } from "../tickets/walk-tickets.ts";
import { searches } from "./list-cards.ts";
import { requireBoard } from "./require-board.ts";

const weekMs = 7 * 86_400_000;
/** 1970 began on a Thursday. */
const firstMondayMs = 4 * 86_400_000;
const ageBoundsDays = [1, 7, 30, 90];
/** Authors and labels that are shown by name; the others share one more place, and cards without a label come last. */
const namedMax = 10;
const otherPlace = namedMax + 1;
const unlabelledPlace = namedMax + 2;

type Row = {
  part: "created" | "done" | "total" | "author" | "label";
  place: number;
  kind: "token" | "person" | "app";
  id: string | null;
  name: string;
  created: number;
  done: number;
  cycle: [median: number, p90: number] | null;
  ages: number[];
};

/**
 * A board's figures of the last weeks by week, author and label. Throws `board_not_found`, or `rate_limit_exceeded` if
 * the organisation reads too much at once.
 */
export async function readInsights(
  { db, clock }: Deps,
  { organisationId }: Actor,
  boardId: string,
  { weeks = "12" }: InsightQuery,
): Promise<Insights> {
  await requireBoard(db, organisationId, boardId);
  const now = clock.now();
  const mondays = lastMondays(now, Number(weeks));
  // It reads every card that is open or of these weeks, so it counts as a search.
  const { rows } = await searches(organisationId, () => figuresOf(organisationId, boardId, mondays, now).execute(db));
  return toInsights(rows, mondays);
}

/** Midnight (UTC) of the last Mondays, oldest first. */
function lastMondays(now: Date, count: number): Date[] {
  const last = now.getTime() - ((now.getTime() - firstMondayMs) % weekMs);
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * weekMs));
}

/**
 * The cards that are open, or were created or done in these weeks. Each condition is the prefix of a list index
 * (`walk-tickets.ts`): a card that was done in these weeks was changed in them.
 */
const cardsOf = (organisationId: string, boardId: string, mondays: Date[], now: Date) => sql`
  select t.origin, coalesce(t.author_token_id, t.author_user_id, t.app_id) as author_id, t.author_name,
    case when (select exists (select from label_changes where organisation_id = ${organisationId}))
      then shown_labels(t.organisation_id, t.labels) else t.labels end as labels,
    width_bucket(t.created_at, ${mondays}::timestamptz[]) as created_week,
    case when t.done_at >= ${mondays[0]} then width_bucket(t.done_at, ${mondays}::timestamptz[]) end as done_week,
    case when t.done_at >= ${mondays[0]} then greatest(date_part('epoch', t.done_at - t.created_at), 0) end as cycle,
    case when ${stateSql} = 0
      then width_bucket(date_part('epoch', ${now}::timestamptz - t.created_at) / 86400, ${ageBoundsDays}::float8[]) end as age
  from tickets t
  where t.organisation_id = ${organisationId}
    and t.column_id in (select id from columns where organisation_id = ${organisationId} and board_id = ${boardId})
    and (${stateSql} = 0
      or ${stateSql} = any('{0,1,2}') and t.created_at >= ${mondays[0]}
      or ${stateSql} = any('{1,2}') and ${rankSql} = any(${ranks}::integer[]) and t.updated_at >= ${mondays[0]}
        and t.done_at >= ${mondays[0]})`;

/**
 * The cards are read once, and grouped by author and labels, of which there are few, with their cycle times as arrays:
 * sorting the cards for each breakdown takes twice as long.
 */
const figuresOf = (organisationId: string, boardId: string, mondays: Date[], now: Date) => sql<Row>`
  with shown as materialized (
    ${cardsOf(organisationId, boardId, mondays, now)}
  ), grouped as materialized (
    select origin, coalesce(author_id::text, author_name) as author, author_id, labels, max(author_name) as author_name,
      count(*) filter (where created_week > 0) as created, count(done_week) as done,
      array_agg(cycle) filter (where done_week is not null) as cycles,
      array[${forEachAge((age) => sql`count(*) filter (where age = ${age})`)}] as ages
    from shown group by 1, 2, 3, 4
  ), authors as (
    select origin, author, author_id, max(author_name) as name,
      row_number() over (order by sum(created) desc, sum(done) desc, max(author_name), author) as place
    from grouped group by 1, 2, 3
  ), labels as (
    select label, row_number() over (order by sum(created) desc, sum(done) desc, label) as place
    from grouped, unnest(labels) label group by label order by place limit ${sql.lit(namedMax)}
  ), parts as materialized (
    select 'total' as part, 0 as place, grouped.* from grouped
    union all
    select 'author', least(place, ${sql.lit(otherPlace)}), grouped.* from grouped join authors using (origin, author)
    union all
    select 'label', place, grouped.* from grouped, unnest(grouped.labels) name join labels on label = name
    union all
    select 'label', ${sql.lit(otherPlace)}, * from grouped where not labels <@ array(select label from labels)
    union all
    select 'label', ${sql.lit(unlabelledPlace)}, * from grouped where labels = '{}'
  ), cycle_times as (
    select part, place, ${percentiles} as cycle from parts, unnest(cycles) cycle group by part, place
  ), named as (
    select 'author' as part, place, case origin when 'report' then 'app' else origin end as kind, author_id as id,
      coalesce(${currentName(organisationId)}, name) as name
    from authors where place <= ${sql.lit(namedMax)}
    union all
    select 'label', place, null, null, label from labels
  )
  select 'created' as part, created_week as place, null as kind, null::uuid as id, null as name, count(*)::integer as created,
    0 as done, null::float8[] as cycle, null::integer[] as ages
  from shown where created_week > 0 group by created_week
  union all
  select 'done', done_week, null, null, null, 0, count(*)::integer, ${percentiles}, null
  from shown where done_week is not null group by done_week
  union all
  select part, place::integer, kind, id, name, sum(created)::integer, sum(done)::integer, cycle,
    array[${forEachAge((age) => sql`sum(ages[${sql.lit(age + 1)}])`)}]::integer[]
  from parts left join cycle_times using (part, place) left join named using (part, place)
  group by part, place, kind, id, name, cycle`;

const percentiles = sql`percentile_cont(array[0.5, 0.9]) within group (order by cycle)`;

const forEachAge = (make: (age: number) => RawBuilder<unknown>) =>
  sql.join(Array.from({ length: ageBoundsDays.length + 1 }, (_, age) => make(age)));

/** The current name of an author in `authors`; null for a person who left. */
const currentName = (organisationId: string) => sql`(
  select name from tokens where organisation_id = ${organisationId} and origin = 'token' and tokens.id = author_id
  union all
  select name from apps where organisation_id = ${organisationId} and origin = 'report' and apps.id = author_id
  union all
  select users.name from members join users on users.id = members.user_id
  where organisation_id = ${organisationId} and origin = 'person' and members.user_id = author_id)`;

function toInsights(rows: Row[], mondays: Date[]): Insights {
  const at = (part: Row["part"], place: number) => rows.find((row) => row.part === part && row.place === place);
  const named = (part: Row["part"]) =>
    rows.filter((row) => row.part === part && row.place <= namedMax).sort((a, b) => a.place - b.place);
  const figuresAt = (part: Row["part"], place: number) => {
    const row = at(part, place);
    return row ? toFigures(row) : null;
  };
  return {
    weeks: mondays.map((monday, index) => ({
      startsOn: monday.toISOString().slice(0, 10),
      created: at("created", index + 1)?.created ?? 0,
      done: at("done", index + 1)?.done ?? 0,
      cycleTime: toCycleTime(at("done", index + 1)?.cycle ?? null),
    })),
    ageBoundsDays,
    total: figuresAt("total", 0) ?? noFigures,
    authors: named("author").map((row) => ({ kind: row.kind, id: row.id, name: row.name, ...toFigures(row) })),
    otherAuthors: figuresAt("author", otherPlace),
    labels: named("label").map((row) => ({ name: row.name, ...toFigures(row) })),
    otherLabels: figuresAt("label", otherPlace),
    unlabelled: figuresAt("label", unlabelledPlace),
  };
}

const noFigures: Figures = { created: 0, done: 0, cycleTime: null, openByAge: [...ageBoundsDays, 0].map(() => 0) };

const toFigures = ({ created, done, cycle, ages }: Row): Figures => ({
  created,
  done,
  cycleTime: toCycleTime(cycle),
  openByAge: ages,
});

const toCycleTime = (cycle: Row["cycle"]) =>
  cycle && { medianSeconds: Math.round(cycle[0]), p90Seconds: Math.round(cycle[1]) };
