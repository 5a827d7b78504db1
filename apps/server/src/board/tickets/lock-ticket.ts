import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Locks a ticket, if it exists, until the transaction ends. It must be read afterwards, in a separate statement: one
 * that waits for a lock joins the row with data that it read before. Returns whether it exists.
 */
export const lockTicket = async (tx: Transaction, organisationId: string, ticketId: string): Promise<boolean> =>
  (await lockTickets(tx, organisationId, [ticketId])) === 1;

/** The same for several, in the order in which everything locks them. Returns how many exist. */
export async function lockTickets(
  tx: Transaction,
  organisationId: string,
  ticketIds: readonly string[],
): Promise<number> {
  const locked = await tx
    .selectFrom("tickets")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", sql<string>`any(${ticketIds}::uuid[])`)
    .where("column_id", "is not", null)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  return locked.length;
}
