import type { Session } from "@lodge/contract/dashboard/access";
import { publishEndOfSession } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { describeSession } from "./describe-session.ts";
import type { SignedIn } from "./find-actor.ts";
import { setOrganisation } from "./set-organisation.ts";

/** Switches a session to another organisation of the person. Throws `organisation_not_found`. */
export async function switchOrganisation(
  deps: Deps,
  { sessionId, userId, providerOrganisationId }: SignedIn,
  organisationId: string,
): Promise<Session> {
  const membership = await deps.db
    .selectFrom("members")
    .select("organisation_id")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .$if(providerOrganisationId !== null, (query) => query.where("organisation_id", "=", providerOrganisationId))
    .executeTakeFirst();
  if (!membership) throw new Refusal("organisation_not_found");
  await setOrganisation(deps.db, sessionId, membership.organisation_id);
  await publishEndOfSession(deps.db, sessionId);
  return describeSession(deps, sessionId);
}
