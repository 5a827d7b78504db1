import type { FastifyRequest } from "fastify";
import { publishEndOfSession } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { readSessionToken } from "./find-actor.ts";
import { sessionCookie } from "./open-session.ts";
import { hashSessionToken } from "./session-token.ts";
import type { WithCookies } from "./sign-in.ts";

/** Ends the session of a request, and its streams in every process; does nothing for somebody who is not signed in. */
export async function signOut(deps: Deps, request: FastifyRequest): Promise<WithCookies<void>> {
  const token = readSessionToken(deps, request.headers.cookie);
  const ended =
    token === undefined
      ? undefined
      : await deps.db
          .deleteFrom("sessions")
          .where("token_sha256", "=", hashSessionToken(token))
          .returning("id")
          .executeTakeFirst();
  if (ended) await publishEndOfSession(deps.db, ended.id);
  return { body: undefined, cookies: [sessionCookie(deps, "", 0)] };
}
