import type { Transaction } from "../../platform/database/database.ts";

/**
 * Keeps a ticket, where it is there, from being changed by others until the transaction ends. It is read afterwards, by a
 * statement of its own: one that waits for a row joins it with what it has read before. Returns whether it is there.
 */
export async function lockTicket(tx: Transaction, organisationId: string, ticketId: string): Promise<boolean> {
  const locked = await tx
    .selectFrom("tickets")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", ticketId)
    .where("column_id", "is not", null)
    .forNoKeyUpdate()
    .execute();
  return locked.length > 0;
}
