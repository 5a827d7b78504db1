import { betterAuth } from "better-auth";
import { organization } from "better-auth/plugins/organization";
import type { Deps } from "../platform/deps.ts";
import { hashPassword, verifyPassword } from "./password-hash.ts";
import { clientAddressHeader, cookiePrefix, isSecure } from "./session-cookie.ts";

/** How long a session lasts after it was last used: 7 days. */
const sessionSeconds = 7 * 24 * 60 * 60;

export type Auth = ReturnType<typeof createAuth>;

/**
 * The sign-in library on our database and our tables. None of its own routes is served: ours call it, so that every
 * answer is documented and every refusal is one of our codes. Only `loadAuth` imports this file.
 */
export function createAuth({ db, urls, secret, log }: Deps) {
  return betterAuth({
    baseURL: urls.base,
    trustedOrigins: [new URL(urls.base).origin],
    secret,
    database: { db, type: "postgres", transaction: true },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    telemetry: { enabled: false },
    rateLimit: { enabled: false }, // ours is shared by every process: access/limit-sign-in.ts
    logger: { level: "error", log: (level, message, ...details) => log[level]({ details }, message) },
    advanced: {
      cookiePrefix,
      useSecureCookies: isSecure(urls.base),
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax", path: "/" },
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
      database: { generateId: false },
    },
    user: {
      modelName: "users",
      fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
    },
    account: {
      modelName: "accounts",
      fields: {
        userId: "user_id",
        providerId: "provider_id",
        accountId: "account_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    session: {
      modelName: "sessions",
      expiresIn: sessionSeconds,
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    verification: {
      modelName: "verifications",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
    plugins: [
      organization({
        allowUserToCreateOrganization: false,
        disableOrganizationDeletion: true,
        schema: {
          session: { fields: { activeOrganizationId: "active_organisation_id" } },
          organization: {
            modelName: "organisations",
            fields: { createdAt: "created_at" },
            additionalFields: { agentUserId: { type: "string", required: true, fieldName: "agent_user_id" } },
          },
          member: {
            modelName: "members",
            fields: { organizationId: "organisation_id", userId: "user_id", createdAt: "created_at" },
          },
          invitation: {
            modelName: "invitations",
            fields: {
              organizationId: "organisation_id",
              inviterId: "inviter_id",
              expiresAt: "expires_at",
              createdAt: "created_at",
            },
            additionalFields: { secretSha256: { type: "string", required: true, fieldName: "secret_sha256" } },
          },
        },
      }),
    ],
  });
}
