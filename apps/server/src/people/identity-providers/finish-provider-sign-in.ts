import type { Session } from "@lodge/contract/dashboard/access";
import type { FastifyRequest } from "fastify";
import type { Dispatcher } from "undici";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { openSession } from "../access/open-session.ts";
import { describeOpened, type WithCookies } from "../access/sign-in.ts";
import { joinByProvider } from "../organisations/join-by-provider.ts";
import { forgetBegan } from "./begin-provider-sign-in.ts";
import { readAnswer, refused } from "./read-answer.ts";
import { holdProvider, readProvider } from "./read-provider.ts";

/** People whom a provider no longer signs in lose access within a day. */
const sessionMs = 86_400_000;

/**
 * Signs in the person whom the provider authenticated, in the browser that started it: a member, with the role that the
 * claims now give, or a new person. The session is for this organisation only. Throws `rate_limit_exceeded`,
 * `provider_not_found`, `provider_refused`, `provider_unreachable`, `no_role` or `email_not_vouched_for`.
 */
export async function finishProviderSignIn(
  deps: Deps,
  agent: Dispatcher,
  request: FastifyRequest,
  slug: string,
  answer: string,
): Promise<WithCookies<Session>> {
  await limitComingIn(deps, request.ip);
  const stored = await readProvider(deps.db, slug);
  const { organisationId } = stored;
  const { role, subject, email, name } = await readAnswer(deps, agent, request, stored, answer, null);
  if (!role) throw new Refusal("no_role");
  const opened = await deps.db.transaction().execute(async (tx) => {
    // The provider may have been removed while it responded.
    if (!(await holdProvider(tx, stored)))
      throw refused("its settings in Lodge were changed in the meantime. Try again");
    const userId = await joinByProvider(tx, deps.clock.now(), organisationId, { ...subject, email, name }, role);
    return openSession(tx, deps, request, { userId, ms: sessionMs, providerOrganisationId: organisationId });
  });
  return describeOpened(deps, { sessionId: opened.sessionId, cookies: [opened.cookie, forgetBegan(deps)] });
}
