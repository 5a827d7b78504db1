import type { CardImportList } from "@lodge/contract/dashboard/imports";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireBoard } from "../boards/require-board.ts";
import { readImports, undoableSince } from "./import-rows.ts";

const importsMax = 50;

/** The imports of a board that can be undone or were undone. Throws `board_not_found`. */
export async function listImports(
  { db, clock }: Deps,
  { organisationId }: Actor,
  boardId: string,
): Promise<CardImportList> {
  const id = await requireBoard(db, organisationId, boardId);
  const which = sql`board_id = ${id} and created_at >= ${undoableSince(clock.now())}`;
  return { imports: await readImports(db, organisationId, which, importsMax) };
}
