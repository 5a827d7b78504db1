import type { EventPlace } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { SignedIn } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Finds the page of an event in any organisation of the signed-in member that the session covers. Throws
 * `event_not_found`.
 */
export async function findEventPlace(
  { db }: Deps,
  { userId, providerOrganisationId }: SignedIn,
  eventId: string,
): Promise<EventPlace> {
  const { rows } = await sql<EventPlace>`
    select apps.organisation_id as "organisationId", events.app_id as "appId", problem_hashes.problem_id as "problemId"
    from members
    join apps on apps.organisation_id = members.organisation_id and apps.deleted_at is null
    join events on events.app_id = apps.id
    left join event_summaries on event_summaries.app_id = events.app_id and event_summaries.event_id = events.id
    left join problem_hashes on problem_hashes.app_id = events.app_id and problem_hashes.hash = event_summaries.hash
    where members.user_id = ${userId} and events.id = ${eventId}
      and members.organisation_id = coalesce(${providerOrganisationId}::uuid, members.organisation_id)`.execute(db);
  if (!rows[0]) throw new Refusal("event_not_found");
  return rows[0];
}
