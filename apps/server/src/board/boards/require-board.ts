import type { Database } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** The id of a board of the organisation. Throws `board_not_found`. */
export async function requireBoard(db: Database, organisationId: string, boardId: string): Promise<string> {
  const board = await db
    .selectFrom("boards")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", boardId)
    .executeTakeFirst();
  if (!board) throw new Refusal("board_not_found");
  return board.id;
}
