import type { BoardCardPage, BoardCardQuery, ListGroup, ListSort } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { readCards } from "../tickets/card.ts";
import { withNumbers } from "../tickets/number-tickets.ts";
import * as walk from "../tickets/walk-tickets.ts";
import { below, filterOf, type Place, readCursor, searches, writeCursor } from "./list-cards.ts";
import { countGroups, type Found, type Listed, sortCards } from "./sort-cards.ts";

const pageCards = 100;

/**
 * The cards of a board in an order, by group if grouped, after a cursor. Throws `board_not_found`, `invalid_input`, or
 * `rate_limit_exceeded` if the organisation searches too much at once.
 */
export async function listBoardCards(
  { db }: Deps,
  { organisationId }: Actor,
  boardId: string,
  { cursor, sort = "createdAt", group, ...filter }: BoardCardQuery,
): Promise<BoardCardPage> {
  const columnIds = await readColumnIds(db, organisationId, boardId);
  const passes = await filterOf(db, organisationId, filter);
  const listed = { organisationId, columnIds, passes, count: pageCards + 1 };
  const isWalked = group === undefined || group === "column" || group === "priority";
  const counted = group !== "column" && cursor === undefined ? group : undefined; // columns are counted with the board
  const find = async () => ({
    found: await (isWalked ? walkCards(db, listed, sort, group, cursor) : sortCards(db, listed, sort, group, cursor)),
    ...(counted && { groups: await countGroups(db, listed, counted) }),
  });
  // Sorting, searching or counting reads all cards of the board, so it counts as a search of the organisation.
  const isCostly = !isWalked || filter.text !== undefined || counted !== undefined;
  const { found, groups } = await (isCostly ? searches(organisationId, find) : find());
  const page = found.slice(0, pageCards);
  const ids = page.map(({ id }) => id);
  const cards = await withNumbers(db, organisationId, await readCards(db, organisationId, ids));
  return {
    cards,
    nextCursor: found.length > page.length ? (page.at(-1)?.cursor ?? null) : null,
    ...(groups && { groups }),
  };
}

/** The columns of a board, from left to right. */
async function readColumnIds(db: Database, organisationId: string, boardId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string | null }>`
    select columns.id from boards
    left join columns on columns.organisation_id = boards.organisation_id and columns.board_id = boards.id
    where boards.organisation_id = ${organisationId} and boards.id = ${boardId}
    order by columns.position, columns.id`.execute(db);
  if (rows.length === 0) throw new Refusal("board_not_found");
  return rows.flatMap(({ id }) => id ?? []);
}

/** A part of the list that an index has in order. */
type Stretch = { key: string; columnIds: string[]; ranks: number[] };

/** The stretches of the list, in order. */
function stretchesOf(columnIds: string[], sort: ListSort, group: ListGroup | undefined): Stretch[] {
  const whole = { key: "", columnIds, ranks: walk.ranks };
  const byRank = walk.ranks.map((rank) => ({ ...whole, key: `${rank}`, ranks: [rank] }));
  const stretches = group === "priority" ? byRank : [whole];
  if (group !== "column" && sort !== "position") return stretches;
  return stretches.flatMap((stretch) =>
    columnIds.map((id) => ({ ...stretch, key: `${stretch.key}${id}`, columnIds: [id] })),
  );
}

/** A page read along the indexes of the order, so that its cost does not grow with the number of cards. */
async function walkCards(
  db: Database,
  listed: Listed,
  sort: ListSort,
  group: ListGroup | undefined,
  cursor: string | undefined,
): Promise<Found[]> {
  const stretches = stretchesOf(listed.columnIds, sort, group);
  const [, key = "", rest = ""] = /^([^~]*)~(.*)$/.exec(cursor ?? "~") ?? [];
  const first = cursor === undefined ? 0 : stretches.findIndex((stretch) => stretch.key === key);
  if (first < 0) throw invalidInput([{ path: "/cursor", message: "must be from an earlier response" }]);
  const wanted = { ...listed, states: [...walk.statesOf.open, ...walk.statesOf.done], few: undefined };
  const found: Found[] = [];
  for (const [index, stretch] of stretches.slice(first).entries()) {
    const after = index === 0 && cursor !== undefined ? rest : undefined;
    const part = { ...wanted, ...stretch, count: listed.count - found.length };
    found.push(...(await (sort === "position" ? walkColumn(db, part, after) : walkIndex(db, part, sort, after))));
    if (found.length === listed.count) break;
  }
  return found;
}

async function walkIndex(
  db: Database,
  part: walk.Wanted & Stretch,
  sort: Exclude<ListSort, "position">,
  cursor: string | undefined,
): Promise<Found[]> {
  const after = cursor === undefined ? undefined : walk.readCursor(cursor, sort);
  const places = await walk.findPage(db, part, sort, after);
  return places.map((place) => ({ id: place.id, cursor: `${part.key}~${walk.writeCursor(place)}` }));
}

async function walkColumn(
  db: Database,
  { organisationId, columnIds, ranks, passes, count, key }: walk.Wanted & Stretch,
  cursor: string | undefined,
): Promise<Found[]> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const { rows } = await sql<Place>`
    select t.id, t.position from tickets t
    where t.organisation_id = ${organisationId} and t.column_id = ${columnIds[0]} and t.archived_at is null
      and ${walk.rankSql} = any(${ranks}::integer[]) and ${passes} and ${below(after)}
    order by t.position desc, t.id desc limit ${count}`.execute(db);
  return rows.map((place) => ({ id: place.id, cursor: `${key}~${writeCursor(place)}` }));
}
