import type { Session } from "@lodge/contract/dashboard/access";
import type { FastifyRequest } from "fastify";
import { publishEndOfSession } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { describeSession } from "./describe-session.ts";
import type { SignedIn } from "./find-actor.ts";
import { loadAuth } from "./load-auth.ts";
import { headersFor, type WithCookies } from "./sign-in.ts";

/** Lets a session work on another organisation of the person's from now on. Throws `organisation_not_found`. */
export async function switchOrganisation(
  deps: Deps,
  request: FastifyRequest,
  { sessionId, userId, providerOrganisationId }: SignedIn,
  organisationId: string,
): Promise<WithCookies<Session>> {
  // Asked for an organisation of others, the library would leave the session without any.
  const membership = await deps.db
    .selectFrom("members")
    .select("organisation_id")
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .$if(providerOrganisationId !== null, (query) => query.where("organisation_id", "=", providerOrganisationId))
    .executeTakeFirst();
  if (!membership) throw new Refusal("organisation_not_found");
  const { headers } = await (await loadAuth(deps)).api.setActiveOrganization({
    body: { organizationId: membership.organisation_id },
    headers: headersFor(request),
    returnHeaders: true,
  });
  await publishEndOfSession(deps.db, sessionId);
  return { body: await describeSession(deps, sessionId), cookies: headers.getSetCookie() };
}
