import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Keeps a ticket, where it is there, from being changed by others until the transaction ends. It is read afterwards, by a
 * statement of its own: one that waits for a row joins it with what it has read before. Returns whether it is there.
 */
export const lockTicket = async (tx: Transaction, organisationId: string, ticketId: string): Promise<boolean> =>
  (await lockTickets(tx, organisationId, [ticketId])) === 1;

/** The same for several, in the order in which all lock them. Returns how many are there. */
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
