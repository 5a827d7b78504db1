import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Erases the content of webhook messages about some tickets of an organisation, and cancels pending deliveries. */
export async function eraseMessages(tx: Transaction, organisationId: string, ticketIds: readonly string[]) {
  await sql`
    delete from ticket_changes
    where organisation_id = ${organisationId} and ticket_id = any(${ticketIds}::uuid[])`.execute(tx);
  await sql`
    delete from hook_deliveries
    where organisation_id = ${organisationId} and ticket_id = any(${ticketIds}::uuid[])`.execute(tx);
}
