import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

const textsMax = 40;

/** Stores old and new texts of a ticket with its history entry; the latest 40 of a ticket are kept. */
export async function keepTexts(
  tx: Transaction,
  organisationId: string,
  ticketId: string,
  activityId: string,
  texts: { field: "title" | "description"; before: string; after: string }[],
): Promise<void> {
  if (texts.length === 0) return;
  await tx
    .insertInto("ticket_texts")
    .values(
      texts.map((text) => ({
        organisation_id: organisationId,
        ticket_id: ticketId,
        activity_id: activityId,
        ...text,
      })),
    )
    .execute();
  await sql`
    delete from ticket_texts where (organisation_id, ticket_id, activity_id, field) in (
      select organisation_id, ticket_id, activity_id, field from ticket_texts
      where organisation_id = ${organisationId} and ticket_id = ${ticketId}
      order by activity_id desc, field offset ${textsMax})`.execute(tx);
}
