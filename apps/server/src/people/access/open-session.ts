import { createHmac, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { isSecure, sessionCookieName } from "./session-cookie.ts";
import { hashSessionToken } from "./session-token.ts";

const userAgentLengthMax = 1_000;

/** The time that a session lasts after its last use: 7 days. */
export const sessionMs = 7 * 86_400_000;

type NewSession = {
  userId: string;
  /** The time that it lasts without use. */
  ms: number;
  /** The organisation whose identity provider vouches for the person; the session is only for that one. */
  providerOrganisationId?: string;
};

/** Opens a session for a person who has proved who they are. Only its cookie has the token; a hash is stored. */
export async function openSession(
  tx: Transaction,
  deps: Deps,
  request: FastifyRequest,
  { userId, ms, providerOrganisationId }: NewSession,
): Promise<{ sessionId: string; cookie: string }> {
  const token = randomBytes(24).toString("base64url");
  const now = deps.clock.now();
  const { id } = await tx
    .insertInto("sessions")
    .values({
      user_id: userId,
      token_sha256: hashSessionToken(token),
      ip_address: request.ip,
      user_agent: request.headers["user-agent"]?.slice(0, userAgentLengthMax) ?? null,
      expires_at: new Date(now.getTime() + ms),
      created_at: now,
      updated_at: now,
      ...(providerOrganisationId && {
        provider_organisation_id: providerOrganisationId,
        active_organisation_id: providerOrganisationId,
      }),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { sessionId: id, cookie: sessionCookie(deps, token, ms) };
}

/** The cookie of a session, signed so that forged tokens never reach the database; an empty token deletes it. */
export function sessionCookie({ secret, urls }: Pick<Deps, "secret" | "urls">, token: string, ms: number): string {
  const signed = token && `${token}.${createHmac("sha256", secret).update(token).digest("base64")}`;
  return cookieOf(urls.base, sessionCookieName(urls.base), encodeURIComponent(signed), ms);
}

/** A cookie that scripts cannot read, and that other sites can only cause to be sent by a link. */
export const cookieOf = (base: string, name: string, value: string, ms: number): string =>
  `${name}=${value}; Max-Age=${Math.floor(ms / 1000)}; Path=/; HttpOnly; ${isSecure(base) ? "Secure; " : ""}SameSite=Lax`;
