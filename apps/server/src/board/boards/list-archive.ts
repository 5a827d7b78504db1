import type { ArchivePage, ArchiveQuery } from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { readTimeCursor, writeTimeCursor } from "../../platform/time-cursor.ts";
import { type CardRow, cardColumns, cardJoins, toCard } from "../tickets/card.ts";
import { searches } from "./list-cards.ts";
import { requireBoard } from "./require-board.ts";

const pageCards = 50;

/**
 * The archived cards of a board, the most recently archived first. Throws `board_not_found`, `invalid_input` or
 * `rate_limit_exceeded`.
 */
export async function listArchive(
  { db }: Deps,
  { organisationId }: Actor,
  boardId: string,
  { cursor }: ArchiveQuery,
): Promise<ArchivePage> {
  const after = cursor === undefined ? null : readTimeCursor(cursor);
  await requireBoard(db, organisationId, boardId);
  // Finding the latest reads all of them, so this counts as a search of the organisation.
  const { rows } = await searches(organisationId, () =>
    sql<CardRow>`
      select ${cardColumns} from columns
      join tickets t on t.organisation_id = columns.organisation_id and t.column_id = columns.id ${cardJoins}
      where columns.organisation_id = ${organisationId} and columns.board_id = ${boardId}
        and t.archived_at is not null
        and ${after ? sql<boolean>`(t.archived_at, t.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql<boolean>`true`}
      order by t.archived_at desc, t.id desc limit ${pageCards + 1}`.execute(db),
  );
  const cards = rows.slice(0, pageCards).map(toCard);
  const last = cards.at(-1);
  return {
    cards,
    nextCursor: last && rows.length > pageCards ? writeTimeCursor(last.archivedAt, last.id) : null,
  };
}
