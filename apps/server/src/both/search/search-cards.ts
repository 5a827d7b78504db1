import type { FoundCards, FoundReport, SearchQuery } from "@lodge/contract/dashboard/search";
import type pg from "pg";
import { readNumber, searches } from "../../board/boards/list-cards.ts";
import { findRecentStart } from "../../inbox/problems/newest-first.ts";
import { singleHas, singleHasRare, singleHasSixGram } from "../../inbox/problems/single-has.ts";
import type { Actor } from "../../people/access/find-actor.ts";
import { containing, type Part, rarestPart, sampled, sampledLengthMax } from "../../platform/database/rarest-part.ts";
import { narrowed, preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";

const foundMax = 20;
const problemsMax = 5;
const reportsMax = 5;
/** So many of the newest tickets are read as they are: what was just filed is found, and so is a word that is everywhere. */
const probedTickets = 2_000;
/** Shorter texts have no trigram to look up. */
const indexedLengthMin = 3;
/** What more texts of problems or more single reports have is common. */
const matchesMax = 2_000;
/** So many of the newest of each app are read as they are for what is common. */
const probedOfApp = 500;

const listCards = preparedStatement({
  name: "list_found_cards",
  parameters: { organisationId: "uuid", ids: "uuid[]" },
  row: {
    id: "uuid",
    number: "text?",
    title: "text",
    archived: "boolean",
    column_id: "uuid",
    column_name: "text",
    board_id: "uuid",
    board_name: "text",
    project_id: "uuid",
    project_name: "text",
  },
  text: ({ organisationId, ids }) => `select t.id, upper(numbers.slug) || '-' || number as number, t.title,
    t.archived_at is not null as archived, t.column_id, c.name as column_name, b.id as board_id, b.name as board_name,
    p.id as project_id, p.name as project_name
  from tickets t
  join columns c on c.organisation_id = t.organisation_id and c.id = t.column_id
  join boards b on b.organisation_id = t.organisation_id and b.id = c.board_id
  join projects p on p.organisation_id = t.organisation_id and p.id = b.project_id
  left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
  left join projects numbers on numbers.organisation_id = numbered.organisation_id and numbers.id = numbered.project_id
  where t.organisation_id = ${organisationId} and t.id = any(${ids})
  order by array_position(${ids}, t.id)`,
});

/**
 * The cards of the organisation that have a text, and the problems and reports of its apps. A card whose number it is comes first, then
 * those with it in the title, the newest first, then those with it in the description. What has fewer than three characters
 * is looked for among the newest 2,000 cards; of older ones those are found that were filed a minute ago or before. Throws
 * `rate_limit_exceeded` where the organisation searches too much at once.
 */
export async function searchCards(deps: Deps, { organisationId }: Actor, query: SearchQuery): Promise<FoundCards> {
  const { pool } = deps;
  const text = query.text.trim();
  const pattern = containing(text);
  const isIndexed = [...text].length >= indexedLengthMin;
  const { promise: asked, resolve: ask } = Promise.withResolvers<Asked | undefined>();
  // Two searches at the same time. The first tells the second what to look up, and takes its turn before it.
  const [[problems, reports], cards] = await Promise.all([
    searches(organisationId, async () => {
      ask(isIndexed ? askFor(deps, organisationId, text) : undefined);
      return findReported(pool, organisationId, text, await asked);
    }),
    searches(organisationId, () => findCards(pool, { organisationId, pattern, ...readNumber(text) }, asked)),
  ]);
  return {
    cards: cards.map((row) => ({
      id: row.id,
      number: row.number,
      title: row.title,
      project: { id: row.project_id, name: row.project_name },
      board: { id: row.board_id, name: row.board_name },
      archived: row.archived,
      column: { id: row.column_id, name: row.column_name },
    })),
    problems: problems.map(({ id, title, app_id, app_name }) => ({ id, title, app: { id: app_id, name: app_name } })),
    reports: reports.map(({ id, kind, title, app_id, app_name }) => ({
      id,
      kind,
      title,
      app: { id: app_id, name: app_name },
    })),
  };
}

/** What indexes are asked for, `part` as a pattern, and the pattern of the whole. */
type Asked = Part & { organisationId: string; pattern: string };

async function askFor({ db, pool, clock }: Deps, organisationId: string, text: string): Promise<Asked> {
  const sample = async () => readSample(pool, { organisationId, since: await findRecentStart(db, clock.now()) });
  const { part, ...found } = await rarestPart(text, sample);
  return { ...found, organisationId, part: containing(part), pattern: containing(text) };
}

/** The condition that a column has the text. What is added to it keeps an index from being asked for more than the part. */
const has = (column: "title" | "description" | "search_text", { part, pattern }: Record<"part" | "pattern", string>) =>
  `${column} ilike ${part} and ${column} || '' ilike ${pattern}`;

// Of an id that is asked for like this the planner need not know what it is, and so plans once.
const readSample = preparedStatement({
  name: "sample_searched_texts",
  parameters: { organisationId: "uuid", since: "uuid" },
  row: { text: "text" },
  text: ({ organisationId, since }) => `
  (select title as text from tickets where organisation_id = ${organisationId} order by id desc limit ${sampled})
  union all
  (select latest.text from apps cross join lateral (
    select left(search_text, ${sampledLengthMax}) as text from event_summaries e
    where e.app_id = apps.id and e.hash is null and e.event_id >= (select ${since})
    order by e.received_at desc, e.event_id desc limit ${sampled}) latest
  where apps.organisation_id = ${organisationId} limit ${sampled})`,
});

const asking = { organisationId: "uuid", part: "text", pattern: "text" } as const;

const findNewest = preparedStatement({
  name: "search_newest_tickets",
  parameters: { organisationId: "uuid", pattern: "text", slug: "text?", number: "integer?" },
  row: { id: "uuid", place: "integer" },
  text: ({ organisationId, pattern, slug, number }) => `with newest as materialized (
    select id, title, description from tickets where organisation_id = ${organisationId}
    order by id desc limit ${probedTickets}
  )
  select ticket_id as id, 0 as place from ticket_numbers join projects
    on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
  where ticket_numbers.organisation_id = ${organisationId} and number = ${number} and (${slug} is null or slug = ${slug})
  union all
  (select id, case when title ilike ${pattern} then 1 else 2 end as place from newest
  where title ilike ${pattern} or octet_length(description) <= 2000 and description ilike ${pattern}
  order by place, id desc limit ${foundMax})`,
});
// Materialized, so that what is looked for is looked up and not walked to in the order of the answer.
const titlesOf = (organisationId: string, condition: string) => `with found as materialized (
    select ticket_id as id from ticket_search where organisation_id = ${organisationId} and ${condition}
  )
  select id from found order by id desc limit ${foundMax}`;
const findTitles = preparedStatement({
  name: "search_titles",
  parameters: asking,
  row: { id: "uuid" },
  text: ({ organisationId, ...asked }) => titlesOf(organisationId, has("title", asked)),
});
// Where titles of an organisation are read one after the other, the first condition is the cheaper one.
const findTitlesOfSixGram = preparedStatement({
  name: "search_titles_of_six_gram",
  parameters: { organisationId: "uuid", sixGram: "text", pattern: "text" },
  row: { id: "uuid" },
  text: ({ organisationId, sixGram, pattern }) =>
    titlesOf(organisationId, `title || '' ilike ${pattern} and six_grams(title) collate "C" @> array[${sixGram}]`),
});
const findDescriptions = preparedStatement({
  name: "search_descriptions",
  parameters: asking,
  row: { id: "uuid" },
  text: ({ organisationId, ...asked }) => `with found as materialized (
    (select ticket_id as id from ticket_search where organisation_id = ${organisationId} and ${has("description", asked)})
    union all
    (select id from tickets
      where organisation_id = ${organisationId} and octet_length(description) > 2000 and ${has("description", asked)})
  )
  select id from found order by id desc limit ${foundMax}`,
});

/** The cards that are among the newest, or that indexes find where these do not fill the answer. */
async function findCards(
  pool: pg.Pool,
  asking: Parameters<typeof findNewest>[1],
  indexes: Promise<Asked | undefined>,
): Promise<Awaited<ReturnType<typeof listCards>>> {
  const newest = await findNewest(pool, asking);
  const idsAt = (place: number) => newest.filter((row) => row.place === place).map(({ id }) => id);
  const [numbered, titled, described] = [idsAt(0), idsAt(1), idsAt(2)];
  const asked = await indexes;
  if (asked && titled.length < foundMax) {
    const { sixGram } = asked;
    const found = await (sixGram === null ? findTitles(pool, asked) : findTitlesOfSixGram(pool, { ...asked, sixGram }));
    titled.push(...found.map(({ id }) => id));
  }
  if (asked && new Set([...titled, ...described]).size < foundMax) {
    described.push(...(await findDescriptions(pool, asked)).map(({ id }) => id));
  }
  const latestFirst = (ids: string[]) => ids.sort().reverse();
  const ids = [...new Set([...numbered, ...latestFirst(titled), ...latestFirst(described)])].slice(0, foundMax);
  return ids.length > 0 ? listCards(pool, { organisationId: asking.organisationId, ids }) : [];
}

const appsOf = (organisationId: string) =>
  `select id, name from apps where organisation_id = ${organisationId} and deleted_at is null`;

const findProblemTexts = preparedStatement({
  name: "search_problem_texts",
  parameters: asking,
  row: { app_id: "uuid", hash: "uuid", is_common: "boolean" },
  text: ({ organisationId, ...asked }) => `with mine as materialized (${appsOf(organisationId)}),
  found as materialized (
    select app_id, hash from problem_texts
    where app_id = any(array(select id from mine)) and ${has("search_text", asked)}
    limit ${matchesMax + 1}
  )
  select distinct app_id, hash, (select count(*) from found) > ${matchesMax} as is_common from found`,
});
const problem = { id: "uuid", title: "text", app_id: "uuid", app_name: "text", at: "timestamptz" } as const;
const listProblems = preparedStatement({
  name: "list_found_problems",
  parameters: { organisationId: "uuid", appIds: "uuid[]", hashes: "uuid[]" },
  row: problem,
  text: ({
    organisationId,
    appIds,
    hashes,
  }) => `select problems.id, problems.title, apps.id as app_id, apps.name as app_name, problems.last_seen_at as at
  from (
    select distinct hashes.app_id, hashes.problem_id from unnest(${appIds}, ${hashes}) as found (app_id, hash)
    join problem_hashes hashes on hashes.app_id = found.app_id and hashes.hash = found.hash) matching
  join problems on problems.app_id = matching.app_id and problems.id = matching.problem_id
  join apps on apps.organisation_id = ${organisationId} and apps.id = problems.app_id
  order by problems.last_seen_at desc, problems.id desc limit ${problemsMax}`,
});
const findNewestProblems = preparedStatement({
  name: "search_newest_problems",
  parameters: { organisationId: "uuid", pattern: "text" },
  row: problem,
  text: ({ organisationId, pattern }) => `with mine as materialized (${appsOf(organisationId)})
  select newest.id, title, mine.id as app_id, mine.name as app_name, last_seen_at as at
  from mine cross join lateral (
    select * from (
      select id, title, last_seen_at from problems where app_id = mine.id
      order by last_seen_at desc, id desc limit ${probedOfApp}) next
    where exists (
      select from problem_hashes h join problem_texts t on t.app_id = h.app_id and t.hash = h.hash
      where h.app_id = mine.id and h.problem_id = next.id and t.search_text || '' ilike ${pattern} offset 0)
    order by last_seen_at desc, id desc limit ${problemsMax}) newest
  order by last_seen_at desc, newest.id desc limit ${problemsMax}`,
});

const report = {
  id: "uuid",
  kind: narrowed<FoundReport["kind"]>("text"),
  title: "text",
  app_id: "uuid",
  app_name: "text",
  at: "timestamptz",
} as const;

// The digest is that of `reportDigest`.
const findNamed = preparedStatement({
  name: "find_named_reports",
  parameters: { organisationId: "uuid", text: "text" },
  row: { event_id: "uuid" },
  text: ({ organisationId, text }) => `with mine as materialized (${appsOf(organisationId)})
  select event_id from mine join report_ids on app_id = id
    and digest = left(encode(sha256(convert_to(id::text || ${text}, 'UTF8')), 'hex'), 32)::uuid`,
});
const listNamed = preparedStatement({
  name: "list_found_reports",
  parameters: { organisationId: "uuid", ids: "uuid[]" },
  row: report,
  text: ({ organisationId, ids }) => `with mine as materialized (${appsOf(organisationId)})
  select event_id as id, kind, title, mine.id as app_id, mine.name as app_name, received_at as at
  from mine join event_summaries on app_id = mine.id and event_id = any(${ids})
  order by received_at desc, event_id desc limit ${reportsMax}`,
});
const single = { ...report, is_common: "boolean" } as const;
const singlesOf = (organisationId: string, condition: string) => `with mine as materialized (${appsOf(organisationId)}),
  found as materialized (
    select app_id, event_id, received_at, kind, title from event_summaries
    where app_id = any(array(select id from mine)) and hash is null and ${condition}
    limit ${matchesMax + 1}
  )
  select event_id as id, kind, title, mine.id as app_id, mine.name as app_name, received_at as at,
    (select count(*) from found) > ${matchesMax} as is_common
  from found join mine on mine.id = found.app_id
  order by received_at desc, event_id desc limit ${reportsMax}`;
const findSingles = preparedStatement({
  name: "search_single_reports",
  parameters: asking,
  row: single,
  text: ({ organisationId, ...asked }) => singlesOf(organisationId, singleHas(asked)),
});
const findRareSingles = preparedStatement({
  name: "search_rare_reports",
  parameters: asking,
  row: single,
  text: ({ organisationId, ...asked }) => singlesOf(organisationId, singleHasRare(asked)),
});
const findSinglesOfSixGram = preparedStatement({
  name: "search_reports_of_six_gram",
  parameters: { ...asking, sixGram: "text" },
  row: single,
  text: ({ organisationId, ...asked }) => singlesOf(organisationId, singleHasSixGram(asked)),
});
const findNewestSingles = preparedStatement({
  name: "search_newest_reports",
  parameters: { organisationId: "uuid", pattern: "text" },
  row: report,
  text: ({ organisationId, pattern }) => `with mine as materialized (${appsOf(organisationId)})
  select event_id as id, kind, title, mine.id as app_id, mine.name as app_name, received_at as at
  from mine cross join lateral (
    select * from (
      select event_id, received_at, kind, title, search_text from event_summaries
      where app_id = mine.id and hash is null order by received_at desc, event_id desc limit ${probedOfApp}) next
    where search_text ilike ${pattern} order by received_at desc, event_id desc limit ${reportsMax}) newest
  order by received_at desc, event_id desc limit ${reportsMax}`,
});

/**
 * The problems that were seen last, and the report with this reportId before the newest that belong to no problem. Of what
 * more than 2,000 have, those among any 2,000 of them and among the newest 500 of each app.
 */
async function findReported(pool: pg.Pool, organisationId: string, text: string, asked: Asked | undefined) {
  const ids = (await findNamed(pool, { organisationId, text })).map(({ event_id }) => event_id);
  const named = ids.length > 0 ? await listNamed(pool, { organisationId, ids }) : [];
  if (!asked) return [[], named] as const;
  const texts = await findProblemTexts(pool, asked);
  const found = { appIds: texts.map(({ app_id }) => app_id), hashes: texts.map(({ hash }) => hash) };
  const problems = texts.length > 0 ? await listProblems(pool, { organisationId, ...found }) : [];
  if (texts[0]?.is_common) problems.push(...(await findNewestProblems(pool, asked)));
  const { isRare, sixGram } = asked;
  const singles = await (sixGram !== null
    ? findSinglesOfSixGram(pool, { ...asked, sixGram })
    : (isRare ? findRareSingles : findSingles)(pool, asked));
  const newest = singles[0]?.is_common ? await findNewestSingles(pool, asked) : [];
  return [
    distinct(newestFirst(problems)).slice(0, problemsMax),
    distinct([...named, ...newestFirst([...singles, ...newest])]).slice(0, reportsMax),
  ] as const;
}

/** Each once, in the order in which they are. */
const distinct = <Row extends { app_id: string; id: string }>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [`${row.app_id} ${row.id}`, row])).values(),
];

const newestFirst = <Row extends { id: string; at: Date }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1));
