import type { TicketList, TicketQuery } from "@lodge/contract/tickets";
import { type RawBuilder, sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Database } from "../../platform/database/database.ts";
import { containing, rarestPart, sampled, sampledLengthMax } from "../../platform/database/rarest-part.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";
import { isDay, readTime } from "../../platform/read-time.ts";
import { reachedColumns } from "./reached-columns.ts";
import { readTicketRows } from "./read-ticket.ts";
import { toTicket } from "./show-ticket.ts";

const pageDefault = 50;
/** So many matches of a filter are sorted; where there are more, lists are walked along until a page is full. */
const sortedMax = 5_000;
const probedTickets = 2_000;
const indexedLengthMin = 3;
const searches = takeTurns({ atOnce: 2, waitingMax: 16 });

const stateSql = sql`(case when t.archived_at is not null then 2 when t.done_at is not null then 1 else 0 end)`;
const rankSql = sql`(case t.priority when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end)`;
const statesOf = { open: [0], done: [1], archived: [2], all: [0, 1, 2] };
const ranksOf = { none: [0], low: [1], medium: [2], high: [3] };
type Sort = NonNullable<TicketQuery["sort"]>;
/** `undated` is the rest of `dueAt`: the tickets without a due date, the newest first. */
type Walk = Sort | "undated";
type Place = { walk: Walk; rank: number; key: string; id: string };

/** What a page is made of: where to look, and what to leave out. */
type Wanted = {
  organisationId: string;
  columnIds: string[];
  states: number[];
  ranks: number[];
  /** A condition on `tickets as t` that no index of a list has. */
  passes: RawBuilder<unknown>;
  /** The ids of what may pass, where they are few. */
  few: string[] | undefined;
  count: number;
};

/**
 * The tickets that a token reaches and that a filter lets through, a page at a time. Each page is read along an index, so
 * its cost does not grow with the tickets. Throws `project_not_found`, `board_not_found`, `column_not_found`,
 * `invalid_input`, or `rate_limit_exceeded` where the organisation searches too much at once.
 */
export async function listTickets(deps: Deps, token: Token, query: TicketQuery): Promise<TicketList> {
  const { db } = deps;
  const { organisationId } = token;
  const sort = query.sort ?? "updatedAt";
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, sort);
  const { columnIds, projectIds } = await reachedColumns(db, token, query);
  const wanted = {
    organisationId,
    columnIds,
    states: statesOf[query.state ?? "open"],
    ranks: query.priority ? ranksOf[query.priority] : [3, 2, 1, 0],
    passes: passing(query),
    count: Number(query.limit ?? pageDefault) + 1,
  };
  const find = async () => {
    const few = await fewOf(db, organisationId, projectIds, query);
    return findPage(db, { ...wanted, few }, sort, after);
  };
  const found = query.q === undefined ? await find() : await searches(organisationId, find);
  const page = found.slice(0, wanted.count - 1);
  const ids = page.map(({ id }) => id);
  const rows = await readTicketRows(db, organisationId, sql`t.id = any(${ids}::uuid[])`, token);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const last = page.at(-1);
  return {
    tickets: ids.flatMap((id) => rowOf.get(id) ?? []).map((row) => toTicket(deps, row)),
    next: last && found.length > page.length ? writeCursor(last) : null,
  };
}

async function findPage(db: Database, wanted: Wanted, sort: Sort, after: Place | undefined): Promise<Place[]> {
  const first = after?.walk ?? sort;
  const found = await walkAlong(db, wanted, first, after);
  if (first !== "dueAt" || found.length === wanted.count) return found;
  const undated = await walkAlong(db, { ...wanted, count: wanted.count - found.length }, "undated", undefined);
  return [...found, ...undated];
}

/**
 * Walks along the index of an order in each column, state and, where the index has it, priority, and merges what is found.
 * Where few tickets pass at all, these are sorted instead.
 */
async function walkAlong(db: Database, wanted: Wanted, walk: Walk, after: Place | undefined): Promise<Place[]> {
  const { organisationId, columnIds, states, ranks, passes, few, count } = wanted;
  const { key, ascending, ranked, only } = orders[walk];
  const direction = ascending ? sql`` : sql`desc`;
  const byRank = walk === "priority" ? sql`rank desc,` : sql``;
  const condition = sql`t.organisation_id = ${organisationId} and ${only} and ${passes} and ${beyond(walk, after)}`;
  const chosen = sql`t.id, ${rankSql} as rank, ${key} as key`;
  const { rows } = await (few
    ? sql<Row>`
    select t.id, t.rank, t.key::text as key from (
      select ${chosen} from tickets t
      where t.id = any(${few}::uuid[]) and ${condition} and t.column_id = any(${columnIds}::uuid[])
        and ${stateSql} = any(${states}::integer[]) and ${rankSql} = any(${ranks}::integer[])
      order by ${byRank} key ${direction}, id ${direction} limit ${count}) t`
    : sql<Row>`
    select found.id, found.rank, found.key::text as key
    from unnest(${columnIds}::uuid[]) as c (column_id) cross join unnest(${states}::integer[]) as s (state)
    cross join unnest(${ranked ? ranks : [0]}::integer[]) as r (rank)
    cross join lateral (
      select ${chosen} from tickets t
      where t.column_id = c.column_id and ${stateSql} = s.state
        and ${ranked ? sql`${rankSql} = r.rank` : sql`${rankSql} = any(${ranks}::integer[])`} and ${condition}
      order by ${key} ${direction}, t.id ${direction} limit ${count}) found
    order by ${byRank} found.key ${direction}, found.id ${direction} limit ${count}`
  ).execute(db);
  return rows.map(({ id, rank, key }) => ({ walk, rank, key, id }));
}

type Row = { id: string; rank: number; key: string };

const orders: Record<
  Walk,
  {
    key: RawBuilder<unknown>;
    type: RawBuilder<unknown>;
    ascending: boolean;
    ranked: boolean;
    only: RawBuilder<unknown>;
  }
> = {
  updatedAt: { key: sql`t.updated_at`, type: sql`timestamptz`, ascending: false, ranked: true, only: sql`true` },
  priority: { key: sql`t.updated_at`, type: sql`timestamptz`, ascending: false, ranked: true, only: sql`true` },
  createdAt: { key: sql`t.created_at`, type: sql`timestamptz`, ascending: false, ranked: false, only: sql`true` },
  dueAt: { key: sql`t.due_at`, type: sql`date`, ascending: true, ranked: false, only: sql`t.due_at is not null` },
  undated: {
    key: sql`t.created_at`,
    type: sql`timestamptz`,
    ascending: false,
    ranked: false,
    only: sql`t.due_at is null`,
  },
};

/** What comes after a place in an order. */
function beyond(walk: Walk, after: Place | undefined): RawBuilder<unknown> {
  if (!after) return sql`true`;
  const { key, type, ascending } = orders[walk];
  const place = sql`(${after.key}::${type}, ${after.id}::uuid)`;
  const next = ascending ? sql`(${key}, t.id) > ${place}` : sql`(${key}, t.id) < ${place}`;
  return walk === "priority" ? sql`(${rankSql} < ${after.rank} or ${rankSql} = ${after.rank} and ${next})` : next;
}

/** The filters that a list is not walked along by. */
function passing({ q, label, assigneeUserId, problem, updatedSince }: TicketQuery): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(label === undefined ? [] : [sql`t.labels @> array[${label}]::text[]`]),
    ...(assigneeUserId === undefined ? [] : [sql`t.assignee_user_id = ${assigneeUserId}::uuid`]),
    ...(problem === undefined ? [] : [sql`t.problem = ${problem}`]),
    ...(updatedSince === undefined ? [] : [sql`t.updated_at >= ${readTime("/updatedSince", updatedSince)}`]),
    ...(q === undefined ? [] : [says(q)]),
  ];
  return sql.join(conditions, sql` and `);
}

function says(q: string): RawBuilder<unknown> {
  const pattern = containing(q.trim());
  const { slug, number } = readNumber(q);
  return sql`(t.title ilike ${pattern} or t.description ilike ${pattern} or ${number}::integer is not null and t.id in (
    select ticket_id from ticket_numbers join projects
      on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
    where ticket_numbers.organisation_id = t.organisation_id and number = ${number}::integer
      and (${slug}::text is null or slug = ${slug})))`;
}

/** The project's slug and the number that a text is, as WEB-214 or 214; nulls where it is none. */
function readNumber(text: string): { slug: string | null; number: number | null } {
  const [, slug = null, number = null] = /^(?:([a-z0-9-]+)-)?(\d{1,9})$/.exec(text.trim().toLowerCase()) ?? [];
  return { slug, number: number === null ? null : Number(number) };
}

/** The ids of what the rarest filter may let through, where they are few enough to be sorted. */
async function fewOf(
  db: Database,
  organisationId: string,
  projectIds: string[],
  query: TicketQuery,
): Promise<string[] | undefined> {
  const { q = "", label, assigneeUserId, problem } = query;
  const mine = sql`tickets.organisation_id = ${organisationId}`;
  const choices = [
    ...(problem === undefined
      ? []
      : [
          sql`select id from tickets where ${mine} and problem_project_id = any(${projectIds}::uuid[]) and problem = ${problem}`,
        ]),
    ...(assigneeUserId === undefined
      ? []
      : [sql`select id from tickets where ${mine} and assignee_user_id = ${assigneeUserId}::uuid`]),
    ...(label === undefined
      ? []
      : [sql`select id from tickets where ${mine} and labels <> '{}' and labels @> array[${label}]::text[]`]),
    ...([...q.trim()].length < indexedLengthMin ? [] : [await found(db, organisationId, q.trim())]),
  ];
  for (const choice of choices) {
    const { rows } = await sql<{ id: string }>`${choice} limit ${sortedMax + 1}`.execute(db);
    if (rows.length <= sortedMax) return rows.map(({ id }) => id);
  }
  return undefined;
}

/**
 * The query of the ids of tickets that have a text: by the indexes, which are asked for its rarest part, and of the newest,
 * which are indexed within a minute, by reading them.
 */
async function found(db: Database, organisationId: string, q: string): Promise<RawBuilder<unknown>> {
  const { part, sixGram } = await rarestPart(q, () => readSample(db, organisationId));
  const pattern = containing(q);
  const { slug, number } = readNumber(q);
  // What is added to a column keeps its index from being asked for more than the part.
  const has = (column: RawBuilder<unknown>) =>
    sql`${column} ilike ${containing(part)} and ${column} || '' ilike ${pattern}`;
  const isTitled = sixGram
    ? sql`title || '' ilike ${pattern} and six_grams(title) collate "C" @> array[${sixGram}]`
    : has(sql`title`);
  return sql`(
    select ticket_id as id from ticket_search where organisation_id = ${organisationId} and ${isTitled}
    union
    select ticket_id from ticket_search where organisation_id = ${organisationId} and ${has(sql`description`)}
    union
    select id from tickets
    where organisation_id = ${organisationId} and octet_length(description) > 2000 and ${has(sql`description`)}
    union
    select id from (
      select id, title, description from tickets where organisation_id = ${organisationId}
      order by id desc limit ${probedTickets}) newest
    where title ilike ${pattern} or description ilike ${pattern}
    union
    select ticket_id from ticket_numbers join projects
      on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
    where ticket_numbers.organisation_id = ${organisationId} and number = ${number}::integer
      and (${slug}::text is null or slug = ${slug}))`;
}

/** What the newest tickets say, by which it is judged what is rare. */
async function readSample(db: Database, organisationId: string): Promise<{ text: string }[]> {
  const { rows } = await sql<{ text: string }>`
    select title || ' ' || left(description, ${sampledLengthMax}) as text from tickets
    where organisation_id = ${organisationId} order by id desc limit ${sampled}`.execute(db);
  return rows;
}

const writeCursor = ({ walk, rank, key, id }: Place) =>
  Buffer.from([walk, rank, key, id].join("|")).toString("base64url");

const cursorPattern =
  /^(createdAt|updatedAt|dueAt|undated|priority)\|([0-3])\|([1-9]\d{3}-\d{2}-\d{2}(?: (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?[+-](?:0\d|1[0-4])(?::[0-5]\d)?)?)\|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(cursor: string, sort: Sort): Place {
  const [, walk, rank, key, id] = cursorPattern.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isOfSort = walk === sort || (walk === "undated" && sort === "dueAt");
  if (!isOfSort || !key || !id || !isDay(key.slice(0, 10))) {
    throw invalidInput([{ path: "/cursor", message: "must be the next of an earlier answer with the same sort" }]);
  }
  return { walk: walk as Walk, rank: Number(rank), key, id };
}
