import { countedGroupsMax, type ListGroup, type ListSort } from "@lodge/contract/dashboard/boards";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { invalidInput } from "../../platform/errors.ts";
import { shownLabelsSql } from "../tickets/shown-labels.ts";
import { rankSql } from "../tickets/walk-tickets.ts";

/** The cards of a list: those of `tickets as t` in these columns that pass a condition, `count` to a page. */
export type Listed = { organisationId: string; columnIds: string[]; passes: RawBuilder<unknown>; count: number };
/** A card of a list, with the `cursor` after it. */
export type Found = { id: string; cursor: string };

type Key = { of: RawBuilder<unknown>; type: keyof typeof fits; descending?: true };

const fits = {
  bigint: /^-?\d{1,18}$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  text: /^[^\0]*$/,
};

const nil = sql`'00000000-0000-0000-0000-000000000000'::uuid`;
const micros = (time: RawBuilder<unknown>) => sql`(extract(epoch from ${time}) * 1000000)::bigint`;
const authorId = sql`coalesce(t.author_token_id, t.author_user_id, t.app_id)`;
const byId: Key = { of: sql`t.id`, type: "uuid", descending: true };
const byUpdate: Key = { of: micros(sql`t.updated_at`), type: "bigint", descending: true };

/** The sort keys of cards; the last one is the id. */
const keysOf: Record<ListSort, (columnIds: string[]) => Key[]> = {
  createdAt: () => [{ of: micros(sql`t.created_at`), type: "bigint", descending: true }, byId],
  updatedAt: () => [byUpdate, byId],
  priority: () => [{ of: rankSql, type: "bigint", descending: true }, byUpdate, byId],
  // In the index's order: on one day the earlier id is first; cards without a day are sorted newest first.
  dueAt: () => [
    { of: sql`coalesce(t.due_at - '0001-01-01'::date, 9999999)`, type: "bigint" },
    {
      of: sql`case when t.due_at is null then ${micros(sql`t.created_at`)} else 0 end`,
      type: "bigint",
      descending: true,
    },
    { of: sql`case when t.due_at is null then ${nil} else t.id end`, type: "uuid" },
    byId,
  ],
  position: (columnIds) => [
    { of: sql`array_position(${columnIds}::uuid[], t.column_id)`, type: "bigint" },
    { of: sql`t.position collate "C"`, type: "text", descending: true },
    byId,
  ],
};

type SortedGroup = Exclude<ListGroup, "column" | "priority">;

/** The sort keys of groups: by name in any letter case, and the group without a name last. */
function groupKeys(group: SortedGroup, label: RawBuilder<unknown>): Key[] {
  const named = (name: RawBuilder<unknown>): Key[] => [
    { of: sql`(case when ${name} is null then 1 else 0 end)`, type: "bigint" },
    { of: sql`lower(coalesce(${name}, '')) collate "C"`, type: "text" },
  ];
  if (group === "label") return [...named(label), { of: sql`coalesce(${label}, '') collate "C"`, type: "text" }];
  if (group === "assignee") {
    return [...named(sql`assignee.name`), { of: sql`coalesce(t.assignee_user_id, ${nil})`, type: "uuid" }];
  }
  return [
    ...named(sql`t.author_name`),
    { of: sql`t.author_name collate "C"`, type: "text" },
    { of: sql`coalesce(${authorId}, ${nil})`, type: "uuid" },
  ];
}

/**
 * A page of a list's cards in an order that no index has: every page reads and sorts all of them. Throws
 * `invalid_input` for a cursor of another list.
 */
export async function sortCards(
  db: Database,
  { organisationId, columnIds, passes, count }: Listed,
  sort: ListSort,
  group: SortedGroup,
  cursor: string | undefined,
): Promise<Found[]> {
  const keys = [...groupKeys(group, await firstLabel(db, organisationId)), ...keysOf[sort](columnIds)];
  const list = `${group}.${sort}`;
  const after = cursor === undefined ? undefined : readCursor(cursor, list, keys);
  const { rows } = await sql<{ id: string; place: string[] }>`
    select id, array[${sql.join(keys.map((_, at) => sql`${column(at)}::text`))}] as place from (
      select t.id, ${sql.join(keys.map(({ of }, at) => sql`${of} as ${column(at)}`))} from tickets t
      left join users assignee on assignee.id = t.assignee_user_id
      where t.organisation_id = ${organisationId} and t.column_id = any(${columnIds}::uuid[]) and t.archived_at is null
        and ${passes}) listed
    where ${after ? beyond(keys, after) : sql`true`}
    order by ${sql.join(keys.map(({ descending }, at) => (descending ? sql`${column(at)} desc` : column(at))))}
    limit ${count}`.execute(db);
  return rows.map(({ id, place }) => ({
    id,
    cursor: Buffer.from(JSON.stringify([list, ...place])).toString("base64url"),
  }));
}

/** The number of cards in each group of a list, for at most 1,000 of the largest groups. */
export async function countGroups(
  db: Database,
  { organisationId, columnIds, passes }: Listed,
  group: Exclude<ListGroup, "column">,
): Promise<{ key: string; cardCount: number }[]> {
  const keys = {
    priority: sql`t.priority`,
    assignee: sql`coalesce(t.assignee_user_id::text, '')`,
    label: sql`coalesce(${await firstLabel(db, organisationId)}, '')`,
    author: sql`t.author_name || '|' || coalesce(${authorId}::text, '')`,
  };
  const { rows } = await sql<{ key: string; cardCount: number }>`
    select ${keys[group]} as key, count(*)::integer as "cardCount" from tickets t
    where t.organisation_id = ${organisationId} and t.column_id = any(${columnIds}::uuid[]) and t.archived_at is null
      and ${passes}
    group by 1 order by 2 desc, 1 limit ${countedGroupsMax}`.execute(db);
  return rows;
}

/**
 * The first label of a ticket as it is shown; null without any. Looking up changed labels once costs less than once a
 * ticket.
 */
async function firstLabel(db: Database, organisationId: string): Promise<RawBuilder<unknown>> {
  const { rows } = await sql`select from label_changes where organisation_id = ${organisationId} limit 1`.execute(db);
  return rows.length > 0 ? sql`(${shownLabelsSql})[1]` : sql`t.labels[1]`;
}

const column = (at: number) => sql.ref(`key_${at}`);

/** The condition for cards after a place in the order of these keys. */
function beyond(keys: readonly Key[], after: readonly string[], at = 0): RawBuilder<unknown> {
  const key = keys[at];
  if (!key) return sql`false`;
  const value = sql`${after[at]}::${sql.raw(key.type)}`;
  const isBeyond = key.descending ? sql`${column(at)} < ${value}` : sql`${column(at)} > ${value}`;
  return sql`(${isBeyond} or ${column(at)} = ${value} and ${beyond(keys, after, at + 1)})`;
}

function readCursor(cursor: string, list: string, keys: readonly Key[]): string[] {
  try {
    const [of, ...place] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const isPlace = keys.every(({ type }, at) => typeof place[at] === "string" && fits[type].test(place[at]));
    if (of === list && place.length === keys.length && isPlace) return place;
  } catch {
    // It is not JSON.
  }
  throw invalidInput([
    { path: "/cursor", message: "must be from an earlier response with the same `sort` and `group`" },
  ]);
}
