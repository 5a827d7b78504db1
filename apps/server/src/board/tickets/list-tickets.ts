import type { TicketList, TicketQuery } from "@lodge/contract/tickets";
import { type RawBuilder, sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Database } from "../../platform/database/database.ts";
import { containing, rarestPart, sampled, sampledLengthMax } from "../../platform/database/rarest-part.ts";
import type { Deps } from "../../platform/deps.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";
import { readTime } from "../../platform/read-time.ts";
import { reachedColumns } from "./reached-columns.ts";
import { readTicketRows } from "./read-ticket.ts";
import { readNumber, says } from "./says-text.ts";
import { toTicket } from "./show-ticket.ts";
import { labelsMeant } from "./shown-labels.ts";
import { findPage, ranks, ranksOf, readCursor, statesOf, writeCursor } from "./walk-tickets.ts";

const pageDefault = 50;
/** At most this many matches of a filter are sorted; with more, lists are read along an index until a page is full. */
const sortedMax = 5_000;
const probedTickets = 2_000;
const indexedLengthMin = 3;
const searches = takeTurns({ atOnce: 2, waitingMax: 16 });

/**
 * The tickets that a token has access to and that pass a filter, a page at a time. Pages are read along an index, so
 * their cost does not grow with the number of tickets. Throws `project_not_found`, `board_not_found`,
 * `column_not_found`, `invalid_input`, or `rate_limit_exceeded` if the organisation searches too much at once.
 */
export async function listTickets(deps: Deps, token: Token, query: TicketQuery): Promise<TicketList> {
  const { db } = deps;
  const { organisationId } = token;
  const sort = query.sort ?? "updatedAt";
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, sort);
  const { columnIds, projectIds } = await reachedColumns(db, token, query);
  const labels = query.label === undefined ? undefined : await labelsMeant(db, organisationId, query.label);
  const wanted = {
    organisationId,
    columnIds,
    states: statesOf[query.state ?? "open"],
    ranks: query.priority ? ranksOf[query.priority] : ranks,
    passes: passing(query, labels),
    count: Number(query.limit ?? pageDefault) + 1,
  };
  const find = async () => {
    const few = await fewOf(db, organisationId, projectIds, query, labels);
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

/** The filters that no list index covers. */
function passing({ q, assigneeUserId, problem, updatedSince }: TicketQuery, labels?: string[]): RawBuilder<unknown> {
  const conditions = [
    sql`true`,
    ...(labels === undefined ? [] : [sql`t.labels && ${labels}::text[]`]),
    ...(assigneeUserId === undefined ? [] : [sql`t.assignee_user_id = ${assigneeUserId}::uuid`]),
    ...(problem === undefined ? [] : [sql`t.problem = ${problem}`]),
    ...(updatedSince === undefined ? [] : [sql`t.updated_at >= ${readTime("/updatedSince", updatedSince)}`]),
    ...(q === undefined ? [] : [says(q)]),
  ];
  return sql.join(conditions, sql` and `);
}

/** The ids that may pass the rarest filter, if there are few enough to sort. */
async function fewOf(
  db: Database,
  organisationId: string,
  projectIds: string[],
  { q = "", assigneeUserId, problem }: TicketQuery,
  labels?: string[],
): Promise<string[] | undefined> {
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
    ...(labels === undefined
      ? []
      : [sql`select id from tickets where ${mine} and labels <> '{}' and labels && ${labels}::text[]`]),
    ...([...q.trim()].length < indexedLengthMin ? [] : [await found(db, organisationId, q.trim())]),
  ];
  for (const choice of choices) {
    const { rows } = await sql<{ id: string }>`${choice} limit ${sortedMax + 1}`.execute(db);
    if (rows.length <= sortedMax) return rows.map(({ id }) => id);
  }
  return undefined;
}

/**
 * The query for the ids of tickets that contain a text: the indexes are searched for its rarest part, and the newest
 * tickets, which are indexed within a minute, are scanned.
 */
async function found(db: Database, organisationId: string, q: string): Promise<RawBuilder<unknown>> {
  const { part, sixGram } = await rarestPart(q, () => readSample(db, organisationId));
  const pattern = containing(q);
  const { slug, number } = readNumber(q);
  // The concatenation keeps the planner from using the column's own index for more than the part.
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

/** The texts of the newest tickets, a sample that estimates how rare a part is. */
async function readSample(db: Database, organisationId: string): Promise<{ text: string }[]> {
  const { rows } = await sql<{ text: string }>`
    select title || ' ' || left(description, ${sampledLengthMax}) as text from tickets
    where organisation_id = ${organisationId} order by id desc limit ${sampled}`.execute(db);
  return rows;
}
