import type { FoundReport } from "@lodge/contract/dashboard/search";
import type pg from "pg";
import { hashesOfUser, singlesOfUser } from "../../inbox/problems/find-user.ts";
import { singleHas, singleHasRare, singleHasSixGram } from "../../inbox/problems/single-has.ts";
import { narrowed, preparedStatement } from "../../platform/database/statements.ts";
import { type Asked, asking, has } from "./asked.ts";

const problemsMax = 5;
const reportsMax = 5;
/** A word is common if more problem texts or single reports than this contain it. */
const matchesMax = 2_000;
/** For common words, this many of the newest reports of each app are scanned. */
const probedOfApp = 500;

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
const findApps = preparedStatement({
  name: "find_searched_apps",
  parameters: { organisationId: "uuid" },
  row: { id: "uuid" },
  text: ({ organisationId }) => `select id from (${appsOf(organisationId)}) mine`,
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

// The digest is computed as in `reportDigest`.
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
 * The most recently seen problems, and the report with this reportId followed by the newest reports without a problem:
 * those that contain a text or are of the user whom it names. If more than 2,000 match, any 2,000 of them and the newest
 * 500 of each app are considered.
 */
export async function findReported(pool: pg.Pool, organisationId: string, text: string, asked: Asked | undefined) {
  const ids = (await findNamed(pool, { organisationId, text })).map(({ event_id }) => event_id);
  if (!asked) return [[], await listReports(pool, organisationId, ids)] as const;
  const apps = /\s/.test(text) ? [] : (await findApps(pool, { organisationId })).map(({ id }) => id);
  ids.push(...(await singlesOfUser(pool, apps, text)));
  const named = await listReports(pool, organisationId, ids);
  const texts = await findProblemTexts(pool, asked);
  const known = [...texts, ...(await hashesOfUser(pool, apps, text))];
  const found = { appIds: known.map(({ app_id }) => app_id), hashes: known.map(({ hash }) => hash) };
  const problems = known.length > 0 ? await listProblems(pool, { organisationId, ...found }) : [];
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

const listReports = async (pool: pg.Pool, organisationId: string, ids: string[]) =>
  ids.length > 0 ? listNamed(pool, { organisationId, ids }) : [];

/** The rows without duplicates, in their order. */
const distinct = <Row extends { app_id: string; id: string }>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [`${row.app_id} ${row.id}`, row])).values(),
];

const newestFirst = <Row extends { id: string; at: Date }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1));
