import { getImage } from "@lodge/contract/dashboard/images";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";

const shownImage = new RegExp(`${getImage.path.replace("{imageId}", "([0-9a-f-]{36})")}`, "g");

/** Gives a new ticket the images that its author stored for it and its description shows. */
export async function claimImages(
  { db }: Deps,
  { organisationId, userId }: Actor,
  ticketId: string,
  description: string,
): Promise<void> {
  const ids = [...description.matchAll(shownImage)].map(([, id]) => id);
  if (ids.length === 0) return;
  await sql`
    update images set ticket_id = ${ticketId}, drafted_by = null
    where organisation_id = ${organisationId} and drafted_by = ${userId} and id::text = any(${ids}::text[])`.execute(
    db,
  );
}
