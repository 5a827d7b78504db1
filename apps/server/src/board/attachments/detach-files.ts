import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Removes all attachments from some tickets of the organisation, in the transaction that erases them; a sweep deletes
 * the files.
 */
export async function detachFiles(
  tx: Transaction,
  organisationId: string,
  ticketIds: readonly string[],
): Promise<void> {
  await tx
    .updateTable("ticket_attachments")
    .set({ ticket_id: null })
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", sql<string>`any(${ticketIds}::uuid[])`)
    .execute();
}
