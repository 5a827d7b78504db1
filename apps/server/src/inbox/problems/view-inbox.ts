import type { InboxEntry, InboxFilter, InboxPage } from "@lodge/contract/dashboard/inbox";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { containing, type Part, rarestPart, sampled, sampledLengthMax } from "../../platform/database/rarest-part.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";
import { readTime } from "../../platform/read-time.ts";
import { clockSlackMs, idAt, lastId, nilId } from "../../platform/uuid-time.ts";
import { hashesOfUser, isOfUser } from "./find-user.ts";
import { type Place, readCursor, writeCursor } from "./inbox-cursor.ts";
import {
  type EventRow,
  eventColumns,
  eventColumnsText,
  eventRow,
  isInState,
  type ProblemRow,
  problemColumns,
  toEventSummary,
  toProblem,
} from "./inbox-rows.ts";
import { meetsTerms } from "./meets-terms.ts";
import { findRecentStart, readNewestFirst } from "./newest-first.ts";
import { parseSearch, type Search } from "./parse-search.ts";
import { requireApp } from "./require-app.ts";
import { singleHasRare, singleHasSixGram, singleHasText } from "./single-has.ts";
import { namedInStack } from "./stack-text.ts";

const pageEntries = 50;
/** The next entries in order that are checked first: if enough of them match to fill the page, no index is needed. */
const probed = 2_000;
const probedProblems = 500;
/** A text is common if more texts of problems contain it. */
const matchesMax = 2_000;
/** Limits an organisation's concurrent searches, so that others get connections and processor time. */
const searches = takeTurns({ atOnce: 2, waitingMax: 16 });

type Condition = RawBuilder<unknown>;
const dayMs = 86_400_000;

/**
 * The problems of an app, and its reports without a problem, that match a filter, at most 50, in the given order.
 * Throws `app_not_found`, `invalid_input` for a wrong cursor or an invalid time, or `rate_limit_exceeded` if the
 * organisation has too many searches under way.
 */
export async function viewInbox(deps: Deps, actor: Actor, appId: string, filter: InboxFilter): Promise<InboxPage> {
  const app = await requireApp(deps, actor, appId);
  const { order = "newest", show = "all", state = "open" } = filter;
  const after = filter.cursor === undefined ? undefined : readCursor(order, filter.cursor);
  const from = filter.from === undefined ? undefined : readTime("/from", filter.from);
  const until = filter.until === undefined ? undefined : readTime("/until", filter.until);
  const search = parseSearch(filter.text ?? "");
  const facets = [...facetsOf(filter), ...search.facets];
  const asks = filter.text !== undefined || facets.length > 0;
  const read = async () => {
    const now = deps.clock.now();
    const texts = await textsOf(deps, app.id, search, now);
    const query: Query = { appId: app.id, order, after, from, until, facets, state, search, texts, now };
    const problems = show === "reports" ? [] : await readProblems(deps, query);
    const hasSingles = show !== "problems" && (state === "open" || state === "any") && !search.isBack;
    const singles = hasSingles ? await readSingles(deps, query) : [];
    return [...problems, ...singles];
  };
  const found = (asks ? await searches(actor.organisationId, read) : await read()).sort(comparing(order));
  const entries = found.slice(0, pageEntries);
  const last = entries.at(-1);
  return {
    entries: entries.map(({ entry }) => entry),
    nextCursor: last && found.length > pageEntries ? writeCursor(order, last.place) : null,
  };
}

type Query = {
  appId: string;
  order: "newest" | "frequent";
  after: Place | undefined;
  from: Date | undefined;
  until: Date | undefined;
  facets: string[];
  state: NonNullable<InboxFilter["state"]>;
  search: Search;
  texts: Text[];
  now: Date;
};

/** A text to search for: the part that is searched for in indexes, and the condition that a text column matches. */
type Text = Part & { matches: (column: string) => Condition; text: string; isFree: boolean };
type Found = { place: Place; entry: InboxEntry };

const facetsOf = ({ kind, environment, version, browser, os, tag, attachments }: InboxFilter) => [
  ...(kind ? [`kind:${kind}`] : []),
  ...(environment ? [`environment:${environment}`] : []),
  ...(version ? [`version:${version}`] : []),
  ...(browser ? [`browser:${browser}`] : []),
  ...(os ? [`os:${os}`] : []),
  ...(tag ? [`tag:${tag}`] : []),
  ...(attachments ? ["attachments"] : []),
];

/** The texts of a search: the free text, and names of files and functions. */
async function textsOf(deps: Deps, appId: string, { text, files, functions }: Search, now: Date): Promise<Text[]> {
  let sample: ReturnType<typeof readSample> | undefined;
  const sampleOnce = () => {
    sample ??= findRecentStart(deps.db, now).then((since) => readSample(deps.pool, { appId, since }));
    return sample;
  };
  const named = (what: "file" | "function") => (name: string) => ({
    text: name,
    isFree: false,
    matches: (column: string) => sql`(${sql.ref(column)} || '') ~* ${namedInStack(what, name)}`,
  });
  const free = (of: string) => ({
    text: of,
    isFree: true,
    // The appended text keeps PostgreSQL from searching an index for more than the part.
    matches: (column: string) => sql`${sql.ref(column)} || '' ilike ${containing(of)}`,
  });
  const asked = [
    ...(text === undefined ? [] : [free(text)]),
    ...files.map(named("file")),
    ...functions.map(named("function")),
  ];
  const texts: Text[] = [];
  for (const one of asked) texts.push({ ...one, ...(await rarestPart(one.text, sampleOnce)) });
  return texts;
}

// The subquery hides the id from the planner, so that the statement is planned once.
const readSample = preparedStatement({
  name: "sample_texts_of_app",
  parameters: { appId: "uuid", since: "uuid" },
  row: { text: "text" },
  text: ({ appId, since }) => `
  (select left(search_text, ${sampledLengthMax}) as text from problem_texts where app_id = ${appId} limit ${sampled})
  union all
  (select left(search_text, ${sampledLengthMax}) from event_summaries e
    where e.app_id = ${appId} and e.hash is null and e.event_id >= (select ${since})
    order by e.received_at desc, e.event_id desc limit ${sampled})`,
});

async function readProblems({ db, pool }: Deps, query: Query): Promise<Found[]> {
  const { appId, order, texts } = query;
  const byCount = order === "frequent";
  const sorting = byCount
    ? sql`p.event_count desc, p.last_seen_at desc, p.id desc`
    : sql`p.last_seen_at desc, p.id desc`;
  const base = conditionsOfProblems(query);
  const select = (conditions: Condition[]) =>
    sql<ProblemRow>`
      select ${problemColumns(query.now)} from problems p
      where ${all(conditions)} order by ${sorting} limit ${sql.lit(pageEntries + 1)}`.execute(db);
  const of = (rows: ProblemRow[]): Found[] =>
    rows.map((row) => ({
      place: { count: row.event_count, at: row.last_seen_at.toISOString(), id: row.id },
      entry: { type: "problem", problem: toProblem(row) },
    }));
  const hashesOf = async (user: string) => (await hashesOfUser(pool, [appId], user)).map(({ hash }) => hash);
  for (const user of query.search.users) base.push(ofHashes(appId, await hashesOf(user)));
  const common: { text: Text; hashes: string[] }[] = [];
  for (const text of texts) {
    // The text may be a user's e-mail address or id.
    const hashes = text.isFree && !/\s/.test(text.text) ? await hashesOf(text.text) : [];
    const { rows } = await sql<{ ids: string[] | null }>`
      with t as materialized (${lookedUp(appId, text)} limit ${sql.lit(matchesMax + 1)})
      select case when (select count(*) from t) <= ${sql.lit(matchesMax)} then array(
        select problem_id from problem_hashes h where h.app_id = ${appId} and h.hash in (select hash from t)
        union select problem_id from problem_hashes h where h.app_id = ${appId} and h.hash = any(${hashes}::uuid[])) end as ids`.execute(
      db,
    );
    const ids = rows[0]?.ids;
    if (ids) base.push(sql`p.id = any(${ids}::uuid[])`);
    else common.push({ text, hashes });
  }
  if (common.length === 0) return of((await select(base)).rows);
  // A common word is found in the texts of the first problems in order. (`offset 0` keeps PostgreSQL from searching the
  // index again for each of them, or reading all texts.)
  const passing = common.map(
    ({ text, hashes }) => sql`exists (
      select from problem_hashes h join problem_texts t on t.app_id = h.app_id and t.hash = h.hash
      where h.app_id = n.app_id and h.problem_id = n.id and (${text.matches("t.search_text")} or h.hash = any(${hashes}::uuid[]))
      offset 0)`,
  );
  const next = await sql<ProblemRow & { probes: number; passes: boolean }>`
    select n.*, count(*) over () as probes, ${all(passing)} as passes
    from (select ${problemColumns(query.now)} from problems p where ${all(base)} order by ${sorting} limit ${sql.lit(probedProblems)}) n`.execute(
    db,
  );
  const passed = next.rows.filter(({ passes }) => passes).slice(0, pageEntries + 1);
  if (passed.length > pageEntries || (next.rows[0]?.probes ?? 0) < probedProblems) return of(passed);
  const matches = common.map(
    ({ text, hashes }) => sql`p.id in (with t as materialized (${lookedUp(appId, text)})
      select problem_id from problem_hashes h where h.app_id = ${appId} and h.hash in (select hash from t)
      union select problem_id from problem_hashes h where h.app_id = ${appId} and h.hash = any(${hashes}::uuid[]))`,
  );
  return of((await select([...base, ...matches])).rows);
}

/** The hashes with a matching text, found by index. */
const lookedUp = (appId: string, { part, matches }: Text): Condition => sql`
  select hash from problem_texts
  where app_id = ${appId} and search_text ilike ${containing(part)} and ${matches("search_text")}`;

const ofHashes = (appId: string, hashes: string[]): Condition => sql`
  p.id in (select problem_id from problem_hashes h where h.app_id = ${appId} and h.hash = any(${hashes}::uuid[]))`;

/** The conditions on problems, except for texts and users. */
function conditionsOfProblems({ appId, order, after, from, until, facets, state, search, now }: Query): Condition[] {
  const base: Condition[] = [sql`p.app_id = ${appId}`];
  if (after) {
    base.push(
      order === "frequent"
        ? sql`(p.event_count, p.last_seen_at, p.id) < (${after.count}::bigint, ${after.at}::timestamptz, ${after.id}::uuid)`
        : sql`(p.last_seen_at, p.id) < (${after.at}::timestamptz, ${after.id}::uuid)`,
    );
  }
  if (state !== "any") base.push(isInState(state, now));
  if (from) base.push(sql`p.last_seen_at >= ${from}`);
  if (until) base.push(sql`p.first_seen_at < ${until}`);
  base.push(...meetsTerms({ ...search, facets }, now));
  return base;
}

const askingSingles = {
  appId: "uuid",
  part: "text",
  pattern: "text",
  facets: "text[]",
  from: "timestamptz?",
  until: "timestamptz?",
  afterAt: "timestamptz?",
  afterId: "uuid?",
} as const;

/** The reports without a problem of an app that contain a rare text, newest first. */
const rareSinglesOf = (
  { appId, facets, from, until, afterAt, afterId }: Record<keyof typeof askingSingles, string>,
  condition: string,
) => `with found as materialized (
    select * from event_summaries where app_id = ${appId} and hash is null and ${condition}
  )
  select ${eventColumnsText} from found e
  where facets @> ${facets} and (${from} is null or received_at >= ${from}) and (${until} is null or received_at < ${until})
    and (${afterId} is null or (received_at, event_id) < (${afterAt}, ${afterId}))
  order by received_at desc, event_id desc limit ${pageEntries + 1}`;
const lookUpSingles = preparedStatement({
  name: "look_up_single_reports",
  parameters: askingSingles,
  row: eventRow,
  text: (asked) => rareSinglesOf(asked, singleHasRare(asked)),
});
const lookUpSixGram = preparedStatement({
  name: "look_up_reports_of_six_gram",
  parameters: { ...askingSingles, sixGram: "text" },
  row: eventRow,
  text: (asked) => rareSinglesOf(asked, singleHasSixGram(asked)),
});

async function readSingles({ db, pool }: Pick<Deps, "db" | "pool">, query: Query): Promise<Found[]> {
  const { appId, order, from, until, facets, search, texts, now } = query;
  // A report without a problem counts as one occurrence: by frequency these come last, newest first.
  const after = query.after && (order === "newest" || query.after.count === 1) ? query.after : undefined;
  const afterAt = after && new Date(after.at);
  const endAt = Math.min(...[until, afterAt].map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY));
  // Ids contain times, so this excludes partitions.
  const firstId = from ? idAt(from.getTime() - clockSlackMs) : nilId;
  const endId = endAt < Number.POSITIVE_INFINITY ? idAt(endAt + clockSlackMs) : lastId;
  const base: Condition[] = [
    sql`e.app_id = ${appId} and e.hash is null and e.event_id >= ${firstId} and e.event_id < ${endId}`,
    ...(after ? [sql`(e.received_at, e.event_id) < (${after.at}::timestamptz, ${after.id}::uuid)`] : []),
    ...(from ? [sql`e.received_at >= ${from}`] : []),
    ...(until ? [sql`e.received_at < ${until}`] : []),
    ...(search.isNew ? [sql`e.received_at >= ${new Date(now.getTime() - dayMs)}`] : []),
  ];
  const users = search.users.map((user) => isOfUser(appId, user));
  const asked = [
    ...(facets.length > 0 ? [sql`e.facets @> ${facets}::text[]`] : []),
    ...users,
    ...texts.map((text) => singleMatches(appId, text)),
  ];
  const sorting = sql`e.received_at desc, e.event_id desc`;
  const limit = sql.lit(pageEntries + 1);
  const of = (rows: EventRow[]): Found[] =>
    rows.map((row) => ({
      place: { count: 1, at: row.received_at.toISOString(), id: row.event_id },
      entry: { type: "report", event: toEventSummary(row) },
    }));
  const probes = asked.length > 0 ? probed : pageEntries + 1;
  const probe = async (since: string) => {
    const { rows } = await sql<{ count: number; oldest_at: Date | null } & ({ event_id: null } | EventRow)>`
      with next as materialized (
        select * from event_summaries e where ${all([...base, sql`e.event_id >= ${since}`])}
        order by ${sorting} limit ${sql.lit(probes)}
      ), passing as (
        select ${eventColumns} from next e where ${all([sql`true`, ...asked])} order by ${sorting} limit ${limit}
      )
      select probed.*, e.* from (select count(*)::integer as count, min(received_at) as oldest_at from next) probed
      left join passing e on true order by ${sorting}`.execute(db);
    const passing = rows.filter((row): row is (typeof rows)[number] & EventRow => row.event_id !== null);
    const isAll = (rows[0]?.count ?? 0) < probes;
    return { passing, isAll, until: passing[pageEntries]?.received_at ?? (isAll ? undefined : rows[0]?.oldest_at) };
  };
  const newest = new Date(Math.min(now.getTime(), endAt));
  const { passing, isAll } = await readNewestFirst(db, newest, probe, (found) => found.until);
  if (passing.length > pageEntries || isAll) return of(passing);
  // Materialized, so that the conditions are looked up by index instead of walking in page order.
  const select = (conditions: Condition[]) =>
    sql<EventRow>`
      with found as materialized (select * from event_summaries e where ${all([...base, ...conditions])})
      select ${eventColumns} from found e order by ${sorting} limit ${limit}`.execute(db);
  const [text] = texts;
  if (text?.isFree && text.isRare && texts.length === 1 && users.length === 0 && !search.isNew) {
    const { sixGram } = text;
    const patterns = { part: containing(text.part), pattern: containing(text.text) };
    const looked = { appId, ...patterns, facets, from, until, afterAt, afterId: after?.id };
    const having = await (sixGram === null ? lookUpSingles(pool, looked) : lookUpSixGram(pool, { ...looked, sixGram }));
    const ofFacets = facets.length > 0 ? [sql`e.facets @> ${facets}::text[]`] : [];
    const { rows: ofUser } = await select([...ofFacets, isOfUser(appId, text.text)]);
    return of([...new Map([...having, ...ofUser].map((row) => [row.event_id, row])).values()]);
  }
  return of((await select(asked)).rows);
}

/**
 * The condition that a report without a problem contains a text or, for free text, belongs to the user that it names.
 */
const singleMatches = (appId: string, { text, part, isFree, matches }: Text): Condition =>
  isFree
    ? sql`(${singleHasText(text, part)} or ${isOfUser(appId, text)})`
    : sql`${singleHasText(text, part)} and ${matches("e.search_text")}`;

const all = (conditions: Condition[]) => sql.join(conditions, sql` and `);

const comparing =
  (order: "newest" | "frequent") =>
  ({ place: a }: Found, { place: b }: Found): number =>
    (order === "frequent" ? b.count - a.count : 0) || compareText(b.at, a.at) || compareText(b.id, a.id);

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
