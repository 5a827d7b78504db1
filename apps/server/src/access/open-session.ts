import { createHmac, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Transaction } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { isSecure, sessionCookieName } from "./session-cookie.ts";

const userAgentLengthMax = 1_000;

/** What is opened without the sign-in library, which knows only passwords. */
type NewSession = {
  userId: string;
  /** How long it lasts if it is not used; the library prolongs it unless a provider has opened it. */
  ms: number;
  /** The organisation whose identity provider vouches for the person, and which it is for alone. */
  providerOrganisationId?: string;
};

/** Opens a session for somebody who has shown who it is, with the cookie by which the sign-in library knows it as well. */
export async function openSession(
  tx: Transaction,
  { secret, urls, clock }: Deps,
  request: FastifyRequest,
  { userId, ms, providerOrganisationId }: NewSession,
): Promise<{ sessionId: string; cookie: string }> {
  const token = randomBytes(24).toString("base64url");
  const now = clock.now();
  const { id } = await tx
    .insertInto("sessions")
    .values({
      user_id: userId,
      token,
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
  const signed = `${token}.${createHmac("sha256", secret).update(token).digest("base64")}`;
  const value = encodeURIComponent(signed);
  return { sessionId: id, cookie: cookieOf(urls.base, sessionCookieName(urls.base), value, ms) };
}

/** A cookie that no script reads, and that other sites have sent along by nothing but a link. */
export const cookieOf = (base: string, name: string, value: string, ms: number): string =>
  `${name}=${value}; Max-Age=${Math.floor(ms / 1000)}; Path=/; HttpOnly; ${isSecure(base) ? "Secure; " : ""}SameSite=Lax`;
