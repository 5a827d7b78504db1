import type { Transaction } from "../../platform/database/database.ts";

/**
 * Makes the sweep check again which images of a ticket are shown, in the transaction that changes a text that may show
 * some.
 */
export async function recheckImages(tx: Transaction, organisationId: string, ticketId: string): Promise<void> {
  await tx
    .updateTable("images")
    .set({ shown: false })
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .execute();
}
