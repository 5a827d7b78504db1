import type { ChangedTexts } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** The texts before and after a history entry of a ticket. Throws `text_not_found`. */
export async function readTexts(
  { db }: Deps,
  { organisationId }: Actor,
  { ticketId, activityId }: { ticketId: string; activityId: string },
): Promise<ChangedTexts> {
  const texts = await db
    .selectFrom("ticket_texts")
    .select(["field", "before", "after"])
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .where("activity_id", "=", activityId)
    .orderBy("field", "desc")
    .execute();
  if (texts.length === 0) throw new Refusal("text_not_found");
  return {
    texts: texts.map(({ field, before, after }) => ({ field: field as "title" | "description", before, after })),
  };
}
