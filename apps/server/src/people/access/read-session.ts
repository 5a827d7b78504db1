import type { Session } from "@lodge/contract/dashboard/access";
import type { FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { describeSession } from "./describe-session.ts";
import { readSessionToken } from "./find-actor.ts";
import { sessionCookie, sessionMs } from "./open-session.ts";
import { hashSessionToken } from "./session-token.ts";
import type { WithCookies } from "./sign-in.ts";

/** A session in use is extended once a day. */
const prolongedAfterMs = 86_400_000;

/** The session of a request; using it extends it, unless an identity provider opened it. Throws `not_signed_in`. */
export async function readSession(deps: Deps, request: FastifyRequest): Promise<WithCookies<Session>> {
  const token = readSessionToken(deps, request.headers.cookie);
  const now = deps.clock.now();
  const found =
    token === undefined
      ? undefined
      : await deps.db
          .selectFrom("sessions")
          .select(["id", "updated_at", "provider_organisation_id"])
          .where("token_sha256", "=", hashSessionToken(token))
          .where("expires_at", ">", now)
          .executeTakeFirst();
  if (token === undefined || !found) throw new Refusal("not_signed_in");
  const cookies = [];
  if (now.getTime() - found.updated_at.getTime() >= prolongedAfterMs) {
    const isExtended = found.provider_organisation_id === null;
    await deps.db
      .updateTable("sessions")
      .set({ updated_at: now, ...(isExtended && { expires_at: new Date(now.getTime() + sessionMs) }) })
      .where("id", "=", found.id)
      .execute();
    if (isExtended) cookies.push(sessionCookie(deps, token, sessionMs));
  }
  return { body: await describeSession(deps, found.id), cookies };
}
