import type { CardFilter, CardPage, CardQuery, CardSort } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import { containing } from "../../platform/database/rarest-part.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";
import { readTime } from "../../platform/read-time.ts";
import { type CardRow, cardColumns, cardJoins, readCards, toCard } from "../tickets/card.ts";
import { withNumbers } from "../tickets/number-tickets.ts";
import { readNumber, says } from "../tickets/says-text.ts";
import { labelsMeant } from "../tickets/shown-labels.ts";
import * as walk from "../tickets/walk-tickets.ts";

/** The most cards of a column in one response. */
export const pageCardsMax = 50;
/** Limits one organisation's searches, of a board or everything, so that they leave connections and cores to others. */
export const searches = takeTurns({ atOnce: 2, waitingMax: 16 });

/** Where a card stands in its column. */
export type Place = { position: string; id: string };

/**
 * The cards of a column in an order, after a cursor, at most 50. Throws `column_not_found`, `invalid_input` or
 * `rate_limit_exceeded`.
 */
export async function listCards(
  { db }: Deps,
  { organisationId }: Actor,
  columnId: string,
  { cursor, sort, ...filter }: CardQuery,
): Promise<CardPage> {
  const column = await db
    .selectFrom("columns")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", columnId)
    .executeTakeFirst();
  if (!column) throw new Refusal("column_not_found");
  if (sort) return readSorted(db, organisationId, column.id, filter, sort, cursor);
  const after = cursor === undefined ? null : readCursor(cursor);
  const pages = await readPages(db, organisationId, [column.id], filter, after, pageCardsMax);
  return pages.get(column.id) ?? emptyPage;
}

/** A page read along the index of an order, so that its cost does not grow with the number of cards. */
async function readSorted(
  db: Database,
  organisationId: string,
  columnId: string,
  filter: CardFilter,
  sort: CardSort,
  cursor: string | undefined,
): Promise<CardPage> {
  const after = cursor === undefined ? undefined : walk.readCursor(cursor, sort);
  const passes = await filterOf(db, organisationId, filter);
  const wanted = {
    organisationId,
    columnIds: [columnId],
    states: [...walk.statesOf.open, ...walk.statesOf.done],
    ranks: walk.ranks,
    passes,
    few: undefined,
    count: pageCardsMax + 1,
  };
  const find = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from tickets t
      where t.organisation_id = ${organisationId} and t.column_id = ${columnId} and t.archived_at is null and ${passes}`.execute(
      db,
    );
    return { places: await walk.findPage(db, wanted, sort, after), cardCount: rows[0]?.count ?? 0 };
  };
  const { places, cardCount } = await (filter.text ? searches(organisationId, find) : find());
  const page = places.slice(0, pageCardsMax);
  const ids = page.map(({ id }) => id);
  const cards = await withNumbers(db, organisationId, await readCards(db, organisationId, ids));
  const last = page.at(-1);
  return { cards, cardCount, nextCursor: last && places.length > page.length ? walk.writeCursor(last) : null };
}

/** A filter as a condition on `tickets as t`. */
export async function filterOf(db: Database, organisationId: string, filter: CardFilter) {
  const { text, ...rest } = await resolveFilter(db, organisationId, filter);
  return sql`${passing(rest)} and ${text ? says(text) : sql`true`}`;
}

/** A page without cards. */
export const emptyPage: CardPage = { cards: [], cardCount: 0, nextCursor: null };

/**
 * A page of each of these columns: the topmost cards that pass the filter, or those below `after`. Throws
 * `rate_limit_exceeded` if the organisation searches too much at once.
 */
export async function readPages(
  db: Database,
  organisationId: string,
  columnIds: string[],
  filter: CardFilter,
  after: Place | null,
  pageCards: number,
): Promise<Map<string, CardPage>> {
  const wanted = await resolveFilter(db, organisationId, filter);
  const { rows, counts } = filter.text
    ? await searches(organisationId, () => search(db, organisationId, columnIds, wanted, after, pageCards))
    : await readTopmost(db, organisationId, columnIds, wanted, after, pageCards);
  const cardsOf = Map.groupBy(await withNumbers(db, organisationId, rows.map(toCard)), ({ columnId }) => columnId);
  return new Map(
    counts.map(({ column_id, cards: cardCount }) => {
      const found = cardsOf.get(column_id) ?? [];
      const cards = found.slice(0, pageCards);
      const last = cards.at(-1);
      return [column_id, { cards, cardCount, nextCursor: last && found.length > pageCards ? writeCursor(last) : null }];
    }),
  );
}

type Found = { rows: CardRow[]; counts: { column_id: string; cards: number }[] };

async function readTopmost(
  db: Database,
  organisationId: string,
  columnIds: string[],
  filter: ResolvedFilter,
  after: Place | null,
  pageCards: number,
): Promise<Found> {
  const passes = passing(filter);
  const { rows } = await sql<CardRow>`
    select ${cardColumns} from unnest(${columnIds}::uuid[]) as wanted (column_id)
    cross join lateral (
      select t.* from tickets t
      where t.organisation_id = ${organisationId} and t.column_id = wanted.column_id and t.archived_at is null
        and ${passes} and ${below(after)}
      order by t.position desc, t.id desc limit ${pageCards + 1}
    ) t ${cardJoins}
    order by t.position desc, t.id desc`.execute(db);
  const counts = await sql<Found["counts"][number]>`
    select column_id, count(*) as cards from tickets t
    where t.organisation_id = ${organisationId} and t.column_id = any(${columnIds}::uuid[]) and t.archived_at is null and ${passes}
    group by column_id`.execute(db);
  return { rows, counts: counts.rows };
}

/** Long descriptions are stored out of line and have an index (migrations/0009_tickets.sql); the rest is scanned. */
async function search(
  db: Database,
  organisationId: string,
  columnIds: string[],
  { text = "", ...filter }: ResolvedFilter,
  after: Place | null,
  pageCards: number,
): Promise<Found> {
  const pattern = containing(text);
  const candidates = sql`select t.column_id, t.position, t.id from tickets t
    where t.organisation_id = ${organisationId} and t.column_id = any(${columnIds}::uuid[]) and t.archived_at is null
      and ${passing(filter)}`;
  const counts = await sql<Found["counts"][number] & { page: string[] | null }>`
    with found as (
      ${candidates} and (t.title ilike ${pattern}
        or octet_length(t.description) <= 2000 and t.description ilike ${pattern})
      union
      ${candidates} and octet_length(t.description) > 2000 and t.description ilike ${pattern}
      union
      ${candidates} and t.id in (${withNumber(organisationId, text)})
    )
    select column_id, count(*) as cards,
      (array_agg(id order by position desc, id desc) filter (where ${below(after)}))[1:${sql.lit(pageCards + 1)}]::text[] as page
    from found t group by column_id`.execute(db);
  const { rows } = await sql<CardRow>`
    select ${cardColumns} from tickets t ${cardJoins}
    where t.organisation_id = ${organisationId} and t.id = any(${counts.rows.flatMap(({ page }) => page ?? [])}::uuid[])
    order by t.position desc, t.id desc`.execute(db);
  return { rows, counts: counts.rows };
}

/** The query for the tickets whose number a text is. */
function withNumber(organisationId: string, text: string) {
  const { slug, number } = readNumber(text);
  return sql<{ ticket_id: string }>`
    select ticket_id from ticket_numbers join projects
      on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
    where ticket_numbers.organisation_id = ${organisationId} and number = ${number}
      and (${slug}::text is null or slug = ${slug})`;
}

/** The condition on `tickets as t` for those below a place in its column. */
export const below = (after: Place | null | undefined) =>
  after ? sql<boolean>`(t.position, t.id) < (${after.position}, ${after.id}::uuid)` : sql<boolean>`true`;

/** A filter with all names that tickets may have its label under. */
type ResolvedFilter = Omit<CardFilter, "label"> & { labels?: string[] };

/** Resolves a filter for the tickets of an organisation. */
const resolveFilter = async (
  db: Database,
  organisationId: string,
  { label, ...filter }: CardFilter,
): Promise<ResolvedFilter> => (label ? { ...filter, labels: await labelsMeant(db, organisationId, label) } : filter);

const origins: Record<string, string> = { token: "token", person: "person", app: "report" };

/** The condition on `tickets as t` for those that pass a filter, except its text. */
function passing({
  assignee,
  priority,
  labels,
  author,
  dueFrom,
  dueUntil,
  createdFrom,
  open,
}: Omit<ResolvedFilter, "text">) {
  const origin = author && origins[author];
  const conditions = [
    ...(assignee === "none" ? [sql`t.assignee_user_id is null`] : []),
    ...(assignee && assignee !== "none" ? [sql`t.assignee_user_id = ${assignee}`] : []),
    ...(priority ? [sql`t.priority = ${priority}`] : []),
    ...(labels ? [sql`t.labels && ${labels}::text[]`] : []),
    ...(origin ? [sql`t.origin = ${origin}`] : []),
    ...(author && !origin ? [sql`${author}::uuid in (t.author_token_id, t.author_user_id, t.app_id)`] : []),
    ...(dueFrom ? [sql`t.due_at >= ${dueFrom}::date`] : []),
    ...(dueUntil ? [sql`t.due_at <= ${dueUntil}::date`] : []),
    ...(createdFrom ? [sql`t.created_at >= ${readTime("/createdFrom", createdFrom)}`] : []),
    ...(open ? [sql`t.done_at is null`] : []),
  ];
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}

/** A place in a column, as a `cursor`. */
export const writeCursor = ({ position, id }: Place) => `${position}.${id}`;

/** Parses a cursor into its place. Throws `invalid_input` for anything else. */
export function readCursor(cursor: string): Place {
  const [, position, id] = /^([0-9a-f]+)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(cursor) ?? [];
  if (!position || !id) throw invalidInput([{ path: "/cursor", message: "must be from an earlier response" }]);
  return { position, id };
}
