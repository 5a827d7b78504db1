import type { CardFilter, CardPage, CardQuery } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput, Refusal } from "../platform/errors.ts";
import { type CardRow, cardColumns, cardJoins, toCard } from "../tickets/card.ts";

const pageCards = 50;

type Place = { position: string; id: string };

/** The cards of a column below those that were seen, at most 50. Throws `column_not_found` or `invalid_input`. */
export async function listCards(
  { db }: Deps,
  { organisationId }: Actor,
  columnId: string,
  { cursor, ...filter }: CardQuery,
): Promise<CardPage> {
  const column = await db
    .selectFrom("columns")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", columnId)
    .executeTakeFirst();
  if (!column) throw new Refusal("column_not_found");
  const pages = await readPages(
    db,
    organisationId,
    [column.id],
    filter,
    cursor === undefined ? null : readCursor(cursor),
  );
  return pages.get(column.id) ?? emptyPage;
}

/** A page without cards. */
export const emptyPage: CardPage = { cards: [], cardCount: 0, nextCursor: null };

/** A page of each of these columns: the topmost cards that pass the filter, or those below `after`. */
export async function readPages(
  db: Database,
  organisationId: string,
  columnIds: string[],
  filter: CardFilter,
  after: Place | null,
): Promise<Map<string, CardPage>> {
  const passes = passing(filter);
  const below = after ? sql`(t.position, t.id) < (${after.position}, ${after.id}::uuid)` : sql`true`;
  const { rows } = await sql<CardRow>`
    select ${cardColumns} from unnest(${columnIds}::uuid[]) as wanted (column_id)
    cross join lateral (
      select t.* from tickets t
      where t.organisation_id = ${organisationId} and t.column_id = wanted.column_id and ${passes} and ${below}
      order by t.position desc, t.id desc limit ${pageCards + 1}
    ) t ${cardJoins}
    order by t.position desc, t.id desc`.execute(db);
  const counts = await sql<{ column_id: string; cards: number }>`
    select column_id, count(*) as cards from tickets t
    where t.organisation_id = ${organisationId} and t.column_id = any(${columnIds}::uuid[]) and ${passes}
    group by column_id`.execute(db);
  const cardsOf = Map.groupBy(rows, (row) => row.column_id);
  return new Map(
    counts.rows.map(({ column_id, cards: cardCount }) => {
      const found = cardsOf.get(column_id) ?? [];
      const cards = found.slice(0, pageCards).map(toCard);
      const last = cards.at(-1);
      return [column_id, { cards, cardCount, nextCursor: last && found.length > pageCards ? writeCursor(last) : null }];
    }),
  );
}

function passing({ text, assignee, priority }: CardFilter) {
  const conditions = [
    ...(text
      ? [sql`(strpos(lower(t.title), lower(${text})) > 0 or strpos(lower(t.description), lower(${text})) > 0)`]
      : []),
    ...(assignee === "none" ? [sql`t.assignee_user_id is null`] : []),
    ...(assignee && assignee !== "none" ? [sql`t.assignee_user_id = ${assignee}`] : []),
    ...(priority ? [sql`t.priority = ${priority}`] : []),
  ];
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}

const writeCursor = ({ position, id }: Place) => `${position}.${id}`;

function readCursor(cursor: string): Place {
  const [, position, id] = /^([0-9a-f]+)\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (!position || !id) throw invalidInput([{ path: "/cursor", message: "must be a nextCursor of an earlier answer" }]);
  return { position, id };
}
