import type { TicketQuery } from "@lodge/contract/tickets";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { invalidInput } from "../../platform/errors.ts";
import { isDay } from "../../platform/read-time.ts";

/** The state of `tickets as t`, and the rank of its priority, as in the list indexes. */
export const stateSql = sql`(case when t.archived_at is not null then 2 when t.done_at is not null then 1 else 0 end)`;
export const rankSql = sql`(case t.priority when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end)`;
/** The states of tickets, as in the index. */
export const statesOf = { open: [0], done: [1], archived: [2], all: [0, 1, 2] };
/** The priorities of tickets, as in the index. */
export const ranksOf = { none: [0], low: [1], medium: [2], high: [3] };
/** All ranks, the most urgent first. */
export const ranks = [3, 2, 1, 0];
type Sort = NonNullable<TicketQuery["sort"]>;
/** `undated` follows `dueAt`: the tickets without a due date, the newest first. */
type Walk = Sort | "undated";
type Place = { walk: Walk; rank: number; key: string; id: string };

/** The definition of a page: where to look, and what to leave out. */
export type Wanted = {
  organisationId: string;
  columnIds: string[];
  states: number[];
  ranks: number[];
  /** A condition on `tickets as t` that no list index covers. */
  passes: RawBuilder<unknown>;
  /** The ids that may pass, if there are few. */
  few: string[] | undefined;
  count: number;
};

/** A page in an order, after a place: the ids of tickets, with their places. */
export async function findPage(db: Database, wanted: Wanted, sort: Sort, after: Place | undefined): Promise<Place[]> {
  const first = after?.walk ?? sort;
  const found = await walkAlong(db, wanted, first, after);
  if (first !== "dueAt" || found.length === wanted.count) return found;
  const undated = await walkAlong(db, { ...wanted, count: wanted.count - found.length }, "undated", undefined);
  return [...found, ...undated];
}

/**
 * Reads along the index of an order in each column, state and, if the index has it, priority, and merges the results.
 * If few tickets pass, it sorts those instead.
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

/** The condition for entries after a place in an order. */
function beyond(walk: Walk, after: Place | undefined): RawBuilder<unknown> {
  if (!after) return sql`true`;
  const { key, type, ascending } = orders[walk];
  const place = sql`(${after.key}::${type}, ${after.id}::uuid)`;
  const next = ascending ? sql`(${key}, t.id) > ${place}` : sql`(${key}, t.id) < ${place}`;
  return walk === "priority" ? sql`(${rankSql} < ${after.rank} or ${rankSql} = ${after.rank} and ${next})` : next;
}

/** A place in an order, as a `cursor`. */
export const writeCursor = ({ walk, rank, key, id }: Place) =>
  Buffer.from([walk, rank, key, id].join("|")).toString("base64url");

const cursorPattern =
  /^(createdAt|updatedAt|dueAt|undated|priority)\|([0-3])\|([1-9]\d{3}-\d{2}-\d{2}(?: (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?[+-](?:0\d|1[0-4])(?::[0-5]\d)?)?)\|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Parses a cursor into its place. Throws `invalid_input` for a cursor of another order. */
export function readCursor(cursor: string, sort: Sort): Place {
  const [, walk, rank, key, id] = cursorPattern.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isOfSort = walk === sort || (walk === "undated" && sort === "dueAt");
  if (!isOfSort || !key || !id || !isDay(key.slice(0, 10))) {
    throw invalidInput([{ path: "/cursor", message: "must be from an earlier response with the same `sort`" }]);
  }
  return { walk: walk as Walk, rank: Number(rank), key, id };
}
