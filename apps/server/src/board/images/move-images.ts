import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Gives a ticket the images that its comments show and that belong to the ticket from which those were moved. */
export async function moveImages(tx: Transaction, organisationId: string, fromId: string, intoId: string) {
  await sql`
    update images set ticket_id = ${intoId}, shown = false
    where organisation_id = ${organisationId} and ticket_id = ${fromId}
      and exists (
        select from comments
        where comments.organisation_id = ${organisationId} and comments.ticket_id = ${intoId}
          and position(images.id::text in text) > 0)
      and not exists (
        select from tickets
        where tickets.organisation_id = ${organisationId} and tickets.id = ${fromId}
          and position(images.id::text in description) > 0)`.execute(tx);
}
