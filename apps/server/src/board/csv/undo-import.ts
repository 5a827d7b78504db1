import type { UndoneImport } from "@lodge/contract/dashboard/imports";
import { csvProblemsMax } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { sayCopying } from "../../platform/database/insert-rows.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { trashUnchanged } from "../tickets/trash-unchanged.ts";
import { undoableSince } from "./import-rows.ts";

/**
 * Moves the cards of an import to the trash, all or none, except those that somebody has changed since. An import is
 * undone once; later requests get the first response. Throws `import_not_found`, or `forbidden` for a member who did
 * not make it.
 */
export async function undoImport(deps: Deps, actor: Actor, importId: string): Promise<UndoneImport> {
  const { organisationId, userId, role } = actor;
  const at = deps.clock.now();
  const { undone, boardIds } = await deps.db.transaction().execute(async (tx) => {
    const found = await tx
      .selectFrom("ticket_imports")
      .select(["id", "board_id", "user_id", "filename", "ticket_ids", "undone"])
      .where("organisation_id", "=", organisationId)
      .where("id", "=", importId)
      .where("created_at", ">=", undoableSince(at))
      .forUpdate()
      .executeTakeFirst();
    if (!found) throw new Refusal("import_not_found");
    if (role === "member" && found.user_id !== userId) throw new Refusal("forbidden");
    if (found.undone) return { undone: found.undone as unknown as UndoneImport, boardIds: [] };
    await sayCopying(tx);
    const { deletedCount, boardIds, kept } = await trashUnchanged(deps, tx, actor, found.ticket_ids);
    const undone = { deletedCount, keptCount: kept.length, kept: kept.slice(0, csvProblemsMax) };
    await tx
      .updateTable("ticket_imports")
      .set({ undone_at: at, undone: JSON.stringify(undone) })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", found.id)
      .execute();
    const details = { file: found.filename, cards: deletedCount, kept: kept.length };
    await recordAudit(tx, actor, at, "tickets.import_undone", details);
    return { undone, boardIds: [...new Set([found.board_id, ...boardIds])] };
  });
  for (const boardId of boardIds) deps.announce(organisationId, { kind: "board.changed", boardId });
  return undone;
}
