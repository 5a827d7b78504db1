import type { FastifyRequest } from "fastify";
import { publishEndOfSession } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { findActor } from "./find-actor.ts";
import { loadAuth } from "./load-auth.ts";
import { headersFor, type WithCookies } from "./sign-in.ts";

/** Ends the session of a request, and its streams in every process; does nothing for somebody who is not signed in. */
export async function signOut(deps: Deps, request: FastifyRequest): Promise<WithCookies<void>> {
  const found = await findActor(deps, request.headers.cookie);
  const { api } = await loadAuth(deps);
  const { headers } = await api.signOut({ headers: headersFor(request), returnHeaders: true });
  if (found) await publishEndOfSession(deps.db, found.signedIn.sessionId);
  return { body: undefined, cookies: headers.getSetCookie() };
}
