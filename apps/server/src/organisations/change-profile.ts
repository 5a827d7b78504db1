import type { ChangePassword, ChangeProfile, Session } from "@lodge/contract/dashboard/access";
import type { FastifyRequest } from "fastify";
import { describeSession } from "../access/describe-session.ts";
import type { SignedIn } from "../access/find-actor.ts";
import { limitSignIn } from "../access/limit-sign-in.ts";
import { verifyPassword } from "../access/password-hash.ts";
import { signIn, type WithCookies } from "../access/sign-in.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { applyPassword } from "./apply-password.ts";

/** Renames a person, everywhere but on what was written under the old name. */
export async function changeProfile(
  deps: Deps,
  { userId, sessionId }: SignedIn,
  { name }: ChangeProfile,
): Promise<Session> {
  await deps.db.transaction().execute(async (tx) => {
    await tx.updateTable("users").set({ name }).where("id", "=", userId).execute();
    const theirs = await tx.selectFrom("members").select("organisation_id").where("user_id", "=", userId).execute();
    for (const { organisation_id } of theirs) await publish(tx, organisation_id, { kind: "members.changed" });
  });
  return describeSession(deps, sessionId);
}

/**
 * Changes the password of who knows the one so far, and ends all sessions but a new one. Throws `rate_limit_exceeded` or
 * `wrong_credentials`.
 */
export async function changePassword(
  deps: Deps,
  request: FastifyRequest,
  { userId, email }: SignedIn,
  { currentPassword, password }: ChangePassword,
): Promise<WithCookies<Session>> {
  await limitSignIn(deps, request.ip, email);
  const account = await deps.db
    .selectFrom("accounts")
    .select("password")
    .where("user_id", "=", userId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  const isTheirs = account?.password && (await verifyPassword({ hash: account.password, password: currentPassword }));
  if (!isTheirs) throw new Refusal("wrong_credentials");
  await deps.db.transaction().execute((tx) => applyPassword(tx, userId, password));
  return signIn(deps, request, { email, password });
}
