import type { Session } from "@lodge/contract/dashboard/access";
import type { FastifyRequest } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { describeSession } from "./describe-session.ts";
import { loadAuth } from "./load-auth.ts";
import { headersFor, type WithCookies } from "./sign-in.ts";

/** Who is signed in; a session that is used lasts longer. Throws `not_signed_in`. */
export async function readSession(deps: Deps, request: FastifyRequest): Promise<WithCookies<Session>> {
  const { api } = await loadAuth(deps);
  const { headers, response } = await api.getSession({ headers: headersFor(request), returnHeaders: true });
  if (!response) throw new Refusal("not_signed_in");
  return { body: await describeSession(deps, response.session.id), cookies: headers.getSetCookie() };
}
