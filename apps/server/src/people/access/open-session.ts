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
  /** The organisation whose identity provider vouches for the person, and which it is for alone. */
  providerOrganisationId?: string;
};

/** Opens a session for somebody who has shown who they are. Only its cookie has the token; a hash is stored. */
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

/** The cookie of a session, signed so that what others make up never reaches the database; none for an empty token. */
export function sessionCookie({ secret, urls }: Pick<Deps, "secret" | "urls">, token: string, ms: number): string {
  const signed = token && `${token}.${createHmac("sha256", secret).update(token).digest("base64")}`;
  return cookieOf(urls.base, sessionCookieName(urls.base), encodeURIComponent(signed), ms);
}

/** A cookie that no script reads, and that other sites have sent along by nothing but a link. */
export const cookieOf = (base: string, name: string, value: string, ms: number): string =>
  `${name}=${value}; Max-Age=${Math.floor(ms / 1000)}; Path=/; HttpOnly; ${isSecure(base) ? "Secure; " : ""}SameSite=Lax`;
