import type { ChangePassword, ChangeProfile, Session } from "@lodge/contract/dashboard/access";
import type { FastifyRequest } from "fastify";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { checkPassword } from "../access/check-password.ts";
import { describeSession } from "../access/describe-session.ts";
import { endSessions } from "../access/end-sessions.ts";
import type { SignedIn } from "../access/find-actor.ts";
import { holdSession } from "../access/hold-session.ts";
import { setOrganisation } from "../access/set-organisation.ts";
import { checkCredentials, describeOpened, type WithCookies } from "../access/sign-in.ts";
import { applyPassword } from "./apply-password.ts";

/** Renames a person, except in what was written under the old name. */
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
 * Changes the password, given the current one, and ends all sessions; opens a new one in the same organisation. Throws
 * `rate_limit_exceeded` or `wrong_credentials`.
 */
export async function changePassword(
  deps: Deps,
  request: FastifyRequest,
  person: SignedIn,
  { currentPassword, password }: ChangePassword,
): Promise<WithCookies<Session>> {
  await checkPassword(deps, request, person, currentPassword);
  const organisationId = await deps.db.transaction().execute(async (tx) => {
    await holdSession(tx, person.sessionId);
    const { organisation } = await tx
      .selectFrom("sessions")
      .select("active_organisation_id as organisation")
      .where("id", "=", person.sessionId)
      .executeTakeFirstOrThrow();
    await applyPassword(tx, person.userId, password);
    await endSessions(tx, person.userId); // even if the password is the same
    return organisation;
  });
  const opened = await checkCredentials(deps, request, { email: person.email, password });
  await setOrganisation(deps.db, opened.sessionId, organisationId);
  return describeOpened(deps, opened);
}
