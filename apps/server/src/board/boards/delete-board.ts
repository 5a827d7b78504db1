import type { DeletionQuery } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { holdEmptyColumns } from "./hold-empty-columns.ts";
import { refuseFiling } from "./list-filing-subscribers.ts";
import { listSiblings } from "./list-siblings.ts";

/**
 * Deletes a board with its empty columns. Throws `board_not_found`, `not_empty`, `only_archived`, or
 * `board_has_subscribers` if reports are filed onto it and their subscribers must be kept.
 */
export async function deleteBoard(
  { db, clock }: Deps,
  actor: Actor,
  boardId: string,
  query: DeletionQuery,
): Promise<void> {
  const { organisationId } = actor;
  await db.transaction().execute(async (tx) => {
    const board = await tx
      .selectFrom("boards")
      .select(["id", "name"])
      .where("organisation_id", "=", organisationId)
      .where("id", "=", boardId)
      .forUpdate()
      .executeTakeFirst();
    if (!board) throw new Refusal("board_not_found");
    await holdEmptyColumns(tx, organisationId, await listSiblings(tx, "columns", organisationId, board.id), query);
    await refuseFiling(tx, organisationId, { boardId: board.id }, query);
    await recordAudit(tx, actor, clock.now(), "board.deleted", { board: board.name });
    await tx.deleteFrom("boards").where("organisation_id", "=", organisationId).where("id", "=", board.id).execute();
    await publish(tx, organisationId, { kind: "projects.changed" });
    await publish(tx, organisationId, { kind: "board.changed", boardId: board.id });
  });
}
