import type { Transaction } from "../platform/database/database.ts";

/** Says of the cards of a column that they are done since `at`, where they have not been so; or, for null, that they are not. */
export async function markDone(
  tx: Transaction,
  organisationId: string,
  columnId: string,
  at: Date | null,
): Promise<void> {
  await tx
    .updateTable("tickets")
    .set({ done_at: at })
    .where("organisation_id", "=", organisationId)
    .where("column_id", "=", columnId)
    .where("done_at", at ? "is" : "is not", null)
    .execute();
}
