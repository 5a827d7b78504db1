import type { Problem, ProblemList, ProblemQuery } from "@lodge/contract/apiproblems";
import { type RawBuilder, sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";
import { isDay } from "../../platform/read-time.ts";
import { isInState, type ProblemRow, problemColumns, toProblem } from "./inbox-rows.ts";
import { hasFacet } from "./meets-terms.ts";
import { numberProblems } from "./number-problems.ts";
import { isFoundBy } from "./search-problems.ts";

const pageDefault = 50;
const searches = takeTurns({ atOnce: 2, waitingMax: 16 });

type Place = { key: string; id: string };
type Sort = NonNullable<ProblemQuery["sort"]>;

/** The sort keys of each order, each with an index that begins with the app. */
const keys: Record<Sort, { key: RawBuilder<unknown>; type: RawBuilder<unknown> }> = {
  lastSeenAt: { key: sql`p.last_seen_at`, type: sql`timestamptz` },
  firstSeenAt: { key: sql`p.first_seen_at`, type: sql`timestamptz` },
  events: { key: sql`p.event_count`, type: sql`bigint` },
  users: { key: sql`p.user_count`, type: sql`bigint` },
};

/**
 * A page of the organisation's problems that match a filter. Throws `app_not_found`, `invalid_input`, or
 * `rate_limit_exceeded` if the organisation has too many searches under way.
 */
export async function listProblems(deps: Deps, token: Token, query: ProblemQuery): Promise<ProblemList> {
  const { organisationId } = token;
  const { sort = "lastSeenAt" } = query;
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, sort);
  const apps = await deps.db
    .selectFrom("apps")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("deleted_at", "is", null)
    .$if(query.app !== undefined, (select) => select.where("slug", "=", query.app as string))
    .execute();
  if (query.app !== undefined && apps.length === 0) throw new Refusal("app_not_found");
  const appIds = apps.map(({ id }) => id);
  const count = Number(query.limit ?? pageDefault);
  const find = () => findPage(deps, appIds, query, sort, after, count + 1);
  const found = query.q === undefined ? await find() : await searches(organisationId, find);
  const page = found.slice(0, count);
  const last = page.at(-1);
  return {
    problems: await readProblems(
      deps,
      organisationId,
      page.map(({ id }) => id),
    ),
    next: last && found.length > count ? writeCursor(sort, last) : null,
  };
}

async function findPage(
  deps: Deps,
  appIds: string[],
  query: ProblemQuery,
  sort: Sort,
  after: Place | undefined,
  count: number,
): Promise<Place[]> {
  const { db, clock } = deps;
  const { key, type } = keys[sort];
  const { state = "open", environment, version, q } = query;
  const conditions = [
    sql`true`,
    ...(state === "all" ? [] : [isInState(state, clock.now())]),
    ...(environment === undefined ? [] : [hasFacet(`environment:${environment}`)]),
    ...(version === undefined ? [] : [hasFacet(`version:${version}`)]),
    ...(q === undefined ? [] : await isFoundBy(deps, appIds, q)),
    ...(after ? [sql`(${key}, p.id) < (${after.key}::${type}, ${after.id}::uuid)`] : []),
  ];
  const { rows } = await sql<Place>`
    select found.id, found.key::text as key from unnest(${appIds}::uuid[]) as a (app_id)
    cross join lateral (
      select p.id, ${key} as key from problems p
      where p.app_id = a.app_id and ${sql.join(conditions, sql` and `)}
      order by ${key} desc, p.id desc limit ${count}) found
    order by found.key desc, found.id desc limit ${count}`.execute(db);
  return rows;
}

type Row = ProblemRow & {
  app_slug: string;
  first_version: string | null;
  first_type: string | null;
  ticket_id: string | null;
  ticket_number: string | null;
};

/** Problems of the organisation in the form of the API, in the order of the ids. */
async function readProblems(deps: Deps, organisationId: string, ids: string[]): Promise<Problem[]> {
  const { db, clock, urls } = deps;
  const { rows } = await sql<Row>`
    select ${problemColumns(clock.now())}, apps.slug as app_slug, p.first_version, (
        select substr(facet, 1 + length('error:')) from problem_hashes h
        join problem_facets f on f.app_id = h.app_id and f.hash = h.hash
        where h.app_id = p.app_id and h.problem_id = p.id and facet like 'error:%'
        order by f.first_seen_at, f.event_count desc, facet limit 1) as first_type,
      card.ticket_id, card.ticket_number
    from problems p join apps on apps.id = p.app_id and apps.deleted_at is null
    left join lateral (
      select report_cards.ticket_id, upper(projects.slug) || '-' || numbered.number as ticket_number from report_cards
      join tickets on tickets.organisation_id = report_cards.organisation_id and tickets.id = report_cards.ticket_id
        and tickets.column_id is not null
      left join ticket_numbers numbered
        on numbered.organisation_id = report_cards.organisation_id and numbered.ticket_id = report_cards.ticket_id
      left join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
      where report_cards.app_id = p.app_id and report_cards.problem_id = p.id
      order by report_cards.ticket_id desc limit 1) card on true
    where p.organisation_id = ${organisationId} and p.id = any(${ids}::uuid[])
    order by array_position(${ids}::uuid[], p.id)`.execute(db);
  const numbers = await numberProblems(
    db,
    organisationId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const { culprit, state, firstSeenAt, lastSeenAt, eventCount, userCount, lastVersion, title } = toProblem(row);
    return {
      id: row.id,
      number: numbers.get(row.id) ?? 0,
      app: row.app_slug,
      title,
      type: row.first_type,
      culprit,
      state,
      firstSeenAt,
      lastSeenAt,
      events: eventCount,
      users: userCount,
      versions: { first: row.first_version, last: lastVersion },
      url: `${urls.base}/problems/${row.id}`,
      ticket:
        row.ticket_id === null
          ? null
          : { id: row.ticket_id, number: row.ticket_number, url: `${urls.base}/tickets/${row.ticket_id}` },
    };
  });
}

/** A problem of the organisation. Throws `problem_not_found`. */
export async function readProblem(deps: Deps, { organisationId }: Token, problemId: string): Promise<Problem> {
  const [problem] = await readProblems(deps, organisationId, [problemId]);
  if (!problem) throw new Refusal("problem_not_found");
  return problem;
}

const writeCursor = (sort: Sort, { key, id }: Place) => Buffer.from([sort, key, id].join("|")).toString("base64url");

const cursorPattern =
  /^(lastSeenAt|firstSeenAt|events|users)\|([1-9]\d{3}-\d{2}-\d{2} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?[+-](?:0\d|1[0-4])(?::[0-5]\d)?|\d{1,15})\|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(cursor: string, wanted: Sort): Place {
  const [, sort, key, id] = cursorPattern.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isTime = wanted === "lastSeenAt" || wanted === "firstSeenAt";
  const fits = isTime ? isDay(key?.slice(0, 10) ?? "") : /^\d+$/.test(key ?? "");
  if (sort !== wanted || !key || !id || isTime !== key.includes("-") || !fits) {
    throw invalidInput([{ path: "/cursor", message: "must be from an earlier response with the same `sort`" }]);
  }
  return { key, id };
}
