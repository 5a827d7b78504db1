import type { FoundCards, FoundProblem, FoundReport, SearchQuery } from "@lodge/contract/dashboard/search";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import { searches, withNumber } from "../boards/list-cards.ts";
import type { Database } from "../platform/database/database.ts";
import { containing, rarestPart } from "../platform/database/rarest-part.ts";
import type { Deps } from "../platform/deps.ts";

const foundMax = 20;
const problemsMax = 5;
const reportsMax = 5;
/** So many of the newest tickets are read as they are: what was just filed is found, and so is a word that is everywhere. */
const probedTickets = 2_000;
/** So many of each, tickets and reports, tell what is rare. */
const sampled = 100;
/** Shorter texts have no trigram to look up. */
const indexedLengthMin = 3;
const matchesMax = 2_000;

type Row = {
  id: string;
  number: string | null;
  title: string;
  project_id: string;
  project_name: string;
  board_id: string;
  board_name: string;
  column_id: string;
  column_name: string;
  archived: boolean;
};

/**
 * The cards of the organisation that have a text, and the problems and reports of its apps. A card whose number it is comes first, then
 * those with it in the title, the newest first, then those with it in the description. What has fewer than three characters
 * is looked for among the newest 2,000 cards; of older ones those are found that were filed a minute ago or before. Throws
 * `rate_limit_exceeded` where the organisation searches too much at once.
 */
export async function searchCards({ db }: Deps, { organisationId }: Actor, query: SearchQuery): Promise<FoundCards> {
  const text = query.text.trim();
  return searches(organisationId, async () => {
    const asked = { text, part: await rarestPart(db, text, sampleOf(organisationId)) };
    const ids = await findTickets(db, organisationId, asked);
    const { rows } = await sql<Row>`
      select t.id, upper(numbers.slug) || '-' || number as number, t.title, t.archived_at is not null as archived,
        t.column_id, c.name as column_name, b.id as board_id, b.name as board_name, p.id as project_id, p.name as project_name
      from tickets t
      join columns c on c.organisation_id = t.organisation_id and c.id = t.column_id
      join boards b on b.organisation_id = t.organisation_id and b.id = c.board_id
      join projects p on p.organisation_id = t.organisation_id and p.id = b.project_id
      left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
      left join projects numbers on numbers.organisation_id = numbered.organisation_id and numbers.id = numbered.project_id
      where t.organisation_id = ${organisationId} and t.id = any(${ids}::uuid[])
      order by array_position(${ids}::uuid[], t.id)`.execute(db);
    return {
      cards: rows.map((row) => ({
        id: row.id,
        number: row.number,
        title: row.title,
        project: { id: row.project_id, name: row.project_name },
        board: { id: row.board_id, name: row.board_name },
        archived: row.archived,
        column: { id: row.column_id, name: row.column_name },
      })),
      problems: await findProblems(db, organisationId, asked),
      reports: await findReports(db, organisationId, asked),
    };
  });
}

/** What is looked for, and the part of it that indexes are asked for. */
type Asked = { text: string; part: string };

/** The condition that a column has the text. What is added to it keeps an index from being asked for more than the part. */
const has = (column: "title" | "description" | "search_text", { text, part }: Asked): RawBuilder<boolean> =>
  sql`${sql.ref(column)} ilike ${containing(part)} and ${sql.ref(column)} || '' ilike ${containing(text)}`;

const sampleOf = (organisationId: string) => sql`
  (select title as text from tickets where organisation_id = ${organisationId} order by id desc limit ${sql.lit(sampled)})
  union all
  (select latest.search_text from apps cross join lateral (
    select search_text from event_summaries e where e.app_id = apps.id and e.hash is null
    order by e.received_at desc, e.event_id desc limit ${sql.lit(sampled)}) latest
  where apps.organisation_id = ${organisationId} limit ${sql.lit(sampled)})`;

async function findTickets(db: Database, organisationId: string, asked: Asked): Promise<string[]> {
  const { text } = asked;
  const pattern = containing(text);
  const idsOf = async (query: RawBuilder<{ id: string }>) => (await query.execute(db)).rows.map(({ id }) => id);
  const numbered = (await withNumber(organisationId, text).execute(db)).rows.map(({ ticket_id }) => ticket_id);
  const probe = await sql<{ id: string; in_title: boolean }>`
    with newest as materialized (
      select id, title, description from tickets where organisation_id = ${organisationId}
      order by id desc limit ${sql.lit(probedTickets)})
    select id, title ilike ${pattern} as in_title from newest
    where title ilike ${pattern} or octet_length(description) <= 2000 and description ilike ${pattern}
    order by in_title desc, id desc limit ${sql.lit(foundMax)}`.execute(db);
  const titled = probe.rows.filter(({ in_title }) => in_title).map(({ id }) => id);
  const described = probe.rows.filter(({ in_title }) => !in_title).map(({ id }) => id);
  const isIndexed = [...text].length >= indexedLengthMin;
  // Materialized, so that what is looked for is looked up and not walked to in the order of the answer.
  if (isIndexed && titled.length < foundMax) {
    titled.push(
      ...(await idsOf(sql`
        with found as materialized (
          select ticket_id as id from ticket_search
          where organisation_id = ${organisationId} and ${has("title", asked)})
        select id from found order by id desc limit ${sql.lit(foundMax)}`)),
    );
  }
  if (isIndexed && new Set([...titled, ...described]).size < foundMax) {
    described.push(
      ...(await idsOf(sql`
        with found as materialized (
          (select ticket_id as id from ticket_search
            where organisation_id = ${organisationId} and ${has("description", asked)})
          union all
          (select id from tickets
            where organisation_id = ${organisationId} and octet_length(description) > 2000
              and ${has("description", asked)}))
        select id from found order by id desc limit ${sql.lit(foundMax)}`)),
    );
  }
  const newestFirst = (ids: string[]) => ids.sort().reverse();
  return [...new Set([...numbered, ...newestFirst(titled), ...newestFirst(described)])].slice(0, foundMax);
}

/** The problems that were seen last, among the first 2,000 texts of reports that have it. */
async function findProblems(db: Database, organisationId: string, asked: Asked): Promise<FoundProblem[]> {
  if ([...asked.text].length < indexedLengthMin) return [];
  const { rows } = await sql<{ id: string; title: string; app_id: string; app_name: string }>`
    with found as materialized (
      select app_id, hash from problem_texts
      where app_id = any(array(select id from apps where organisation_id = ${organisationId} and deleted_at is null))
        and ${has("search_text", asked)} limit ${sql.lit(matchesMax)})
    select problems.id, problems.title, apps.id as app_id, apps.name as app_name
    from (
      select distinct hashes.app_id, hashes.problem_id
      from found join problem_hashes hashes on hashes.app_id = found.app_id and hashes.hash = found.hash) matching
    join problems on problems.app_id = matching.app_id and problems.id = matching.problem_id
    join apps on apps.organisation_id = ${organisationId} and apps.id = problems.app_id
    order by problems.last_seen_at desc, problems.id desc limit ${sql.lit(problemsMax)}`.execute(db);
  return rows.map(({ id, title, app_id, app_name }) => ({ id, title, app: { id: app_id, name: app_name } }));
}

/** The reports with this reportId, then the newest among the first 2,000 that have the text and belong to no problem. */
async function findReports(db: Database, organisationId: string, asked: Asked): Promise<FoundReport[]> {
  const { text } = asked;
  const isIndexed = [...text].length >= indexedLengthMin;
  const { rows } = await sql<{
    id: string;
    kind: FoundReport["kind"];
    title: string;
    app_id: string;
    app_name: string;
  }>`
    with mine as materialized (select id, name from apps where organisation_id = ${organisationId} and deleted_at is null),
    named as materialized (
      select report_ids.app_id, event_id as id from mine join report_ids on app_id = id
        and digest = left(encode(sha256(convert_to(id::text || ${text}, 'UTF8')), 'hex'), 32)::uuid), -- see reportDigest
    found as materialized (
      select app_id, event_id, received_at from event_summaries
      where ${isIndexed} and app_id = any(array(select id from mine)) and hash is null
        and ${has("search_text", asked)} limit ${sql.lit(matchesMax)}),
    latest as (
      select app_id, event_id from found order by received_at desc, event_id desc limit ${sql.lit(reportsMax)})
    select reports.event_id as id, reports.kind, reports.title, mine.id as app_id, mine.name as app_name
    from (select app_id, id, true from named union all select app_id, event_id, false from latest)
      as matching (app_id, event_id, is_named)
    join event_summaries reports on reports.app_id = matching.app_id and reports.event_id = matching.event_id
    join mine on mine.id = matching.app_id
    group by reports.app_id, reports.event_id, mine.id, mine.name
    order by bool_or(matching.is_named) desc, reports.received_at desc, reports.event_id desc
    limit ${sql.lit(reportsMax)}`.execute(db);
  return rows.map(({ id, kind, title, app_id, app_name }) => ({
    id,
    kind,
    title,
    app: { id: app_id, name: app_name },
  }));
}
