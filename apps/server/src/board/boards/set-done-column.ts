import type { Transaction } from "../../platform/database/database.ts";
import { markDone } from "../tickets/mark-done.ts";

/**
 * Makes a column of a locked board the done column, in place of the previous one. Its cards are done since `at`; those
 * of the previous one are no longer done.
 */
export async function setDoneColumn(
  tx: Transaction,
  organisationId: string,
  { boardId, columnId, at }: { boardId: string; columnId: string; at: Date },
): Promise<void> {
  // Before their tickets, in the order in which others lock them.
  await tx
    .selectFrom("columns")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("board_id", "=", boardId)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  const others = await tx
    .updateTable("columns")
    .set({ is_done: false })
    .where("organisation_id", "=", organisationId)
    .where("board_id", "=", boardId)
    .where("id", "<>", columnId)
    .where("is_done", "=", true)
    .returning("id")
    .execute();
  for (const { id } of others) await markDone(tx, organisationId, id, null);
  await tx
    .updateTable("columns")
    .set({ is_done: true })
    .where("organisation_id", "=", organisationId)
    .where("board_id", "=", boardId)
    .where("id", "=", columnId)
    .execute();
  await markDone(tx, organisationId, columnId, at);
}
