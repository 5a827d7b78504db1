import { Readable } from "node:stream";
import type { CardFilter } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { downloadHeaders } from "../../platform/http/download.ts";
import { filterOf, searches } from "../boards/list-cards.ts";
import { shownLabelsSql } from "../tickets/shown-labels.ts";
import { writeLabels, writeRow } from "./csv-cells.ts";

/** A page is held in memory: up to 8 MB with the longest descriptions. */
const pageCards = 100;

const header = [
  "number",
  "title",
  "description",
  "column",
  "priority",
  "labels",
  "assignee",
  "starts",
  "due",
  "created",
  "updated",
  "done",
  "author",
  "url",
];

type Row = {
  id: string;
  position: string;
  number: string | null;
  title: string;
  description: string;
  priority: string;
  labels: string[];
  assignee: string | null;
  starts_at: string | null;
  due_at: string | null;
  created_at: Date;
  updated_at: Date;
  done_at: Date | null;
  author_name: string;
};
type Column = { id: string; name: string };

/**
 * The cards of a board that pass a filter as CSV, with the headers of a download. They are read a page at a time, as
 * fast as the client takes them, so a card that moves meanwhile may be missing or appear twice. Throws
 * `board_not_found`.
 */
export async function exportCards(
  deps: Deps,
  { organisationId }: Actor,
  boardId: string,
  filter: CardFilter,
): Promise<{ headers: Record<string, string>; bytes: Readable }> {
  const { db } = deps;
  const { rows } = await sql<{ board: string; columns: Column[] }>`
    select name as board, (
      select coalesce(json_agg(json_build_object('id', id, 'name', name) order by position, id), '[]') from columns
      where columns.organisation_id = boards.organisation_id and board_id = boards.id) as columns
    from boards where organisation_id = ${organisationId} and id = ${boardId}`.execute(db);
  const [found] = rows;
  if (!found) throw new Refusal("board_not_found");
  const passes = await filterOf(db, organisationId, filter);
  const read = (column: Column, after: Row | undefined) => readPage(db, organisationId, column, passes, after);
  const inTurn: typeof read = (...page) => searches(organisationId, () => read(...page));
  const pages = writePages(deps, found.columns, filter.text ? inTurn : read);
  return {
    bytes: Readable.from(pages, { objectMode: false, highWaterMark: 65_536 }),
    headers: {
      ...downloadHeaders(`${found.board}.csv`, "text/csv; charset=utf-8"),
      "cross-origin-resource-policy": "same-origin",
    },
  };
}

async function* writePages(
  { urls }: Deps,
  columns: readonly Column[],
  read: (column: Column, after: Row | undefined) => Promise<Row[]>,
) {
  yield writeRow(header);
  for (const column of columns) {
    for (let after: Row | undefined; ; ) {
      const rows = await read(column, after);
      if (rows.length > 0) yield rows.map((row) => writeRow(cellsOf(row, column.name, urls.base))).join("");
      if (rows.length < pageCards) break;
      after = rows.at(-1);
    }
  }
}

const cellsOf = (row: Row, column: string, base: string): string[] => [
  row.number ?? "",
  row.title,
  row.description,
  column,
  row.priority,
  writeLabels(row.labels),
  row.assignee ?? "",
  row.starts_at ?? "",
  row.due_at ?? "",
  row.created_at.toISOString(),
  row.updated_at.toISOString(),
  row.done_at?.toISOString() ?? "",
  row.author_name,
  `${base}/tickets/${row.id}`,
];

/** The cards of a column below one of them, the topmost first, along the index that the board uses. */
async function readPage(
  db: Database,
  organisationId: string,
  column: Column,
  passes: Awaited<ReturnType<typeof filterOf>>,
  after: Row | undefined,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select t.id, t.position, upper(projects.slug) || '-' || numbered.number as number, t.title, t.description, t.priority,
      ${shownLabelsSql} as labels, users.email as assignee, t.starts_at, t.due_at, t.created_at, t.updated_at, t.done_at,
      t.author_name
    from (
      select t.* from tickets t
      where t.organisation_id = ${organisationId} and t.column_id = ${column.id} and t.archived_at is null and ${passes}
        and ${after ? sql`(t.position, t.id) < (${after.position}, ${after.id}::uuid)` : sql`true`}
      order by t.position desc, t.id desc limit ${pageCards}
    ) t
    left join users on users.id = t.assignee_user_id
    left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
    left join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
    order by t.position desc, t.id desc`.execute(db);
  return rows;
}
