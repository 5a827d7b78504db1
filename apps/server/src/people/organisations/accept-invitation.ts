import type { AcceptInvitation } from "@lodge/contract/dashboard/access";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import type { SignedIn } from "../access/find-actor.ts";
import { holdSession } from "../access/hold-session.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { hashPassword } from "../access/password-hash.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { writePassword } from "./apply-password.ts";
import { hasAccount, selectInvitation } from "./find-invitation.ts";

/**
 * Makes the holder of the link a member: the signed-in person, or a new one with the given name and password. The
 * mailed link verifies the address of a new account. It does not verify that of an existing account, which somebody
 * else may have created and still have access to: only a mailed password reset does. Throws `rate_limit_exceeded`,
 * `invitation_not_found`, `invited_somebody_else`, `not_signed_in` or `invalid_input`. Everything is checked, and the
 * password hashed, before anything is locked; and then checked again.
 */
export async function acceptInvitation(
  deps: Deps,
  address: string,
  secret: string,
  signedIn: SignedIn | undefined,
  input: AcceptInvitation,
): Promise<{ organisationId: string; email: string }> {
  await limitComingIn(deps, address);
  const invitation = await selectInvitation(deps, deps.db, secret).executeTakeFirst();
  if (!invitation) throw new Refusal("invitation_not_found");
  const given = signedIn ? undefined : readPerson(input);
  await checkInvitation(deps.db, invitation, signedIn);
  const person = given && { name: given.name, hash: await hashPassword(given.password) };
  return deps.db.transaction().execute(async (tx) => {
    const found = await selectInvitation(deps, tx, secret).forUpdate("invitations").executeTakeFirst();
    const { id, organisation_id, email, role, is_mailed } = await checkInvitation(tx, found, signedIn);
    if (signedIn) await holdSession(tx, signedIn.sessionId);
    const verifiedAt = is_mailed ? deps.clock.now() : null;
    const userId = person ? await makePerson(tx, email, person, verifiedAt) : signedIn?.userId;
    if (userId === undefined) throw new Error("nobody accepts the invitation");
    const { numInsertedOrUpdatedRows: joined } = await tx
      .insertInto("members")
      .values({ organisation_id, user_id: userId, role, joined_by: is_mailed ? "mailed_invitation" : "invitation" })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    const name = person?.name ?? signedIn?.name ?? email;
    if (joined) {
      const who = { organisationId: organisation_id, userId, name };
      await recordAudit(tx, who, deps.clock.now(), "member.joined", { member: name, role, by: "invitation" });
    }
    await tx
      .updateTable("invitations")
      .set({ status: "accepted" })
      .where("organisation_id", "=", organisation_id)
      .where("id", "=", id)
      .execute();
    await publish(tx, organisation_id, { kind: "members.changed" });
    await publish(tx, organisation_id, { kind: "invitations.changed" });
    return { organisationId: organisation_id, email };
  });
}

type Invitation = Awaited<ReturnType<ReturnType<typeof selectInvitation>["executeTakeFirst"]>>;

/** The invitation, if the signed-in person, or a visitor, may accept it. */
async function checkInvitation(db: Database, invitation: Invitation, signedIn: SignedIn | undefined) {
  if (!invitation) throw new Refusal("invitation_not_found");
  if (signedIn && signedIn.email !== invitation.email) throw new Refusal("invited_somebody_else");
  if (!signedIn && (await hasAccount(db, invitation.email))) throw new Refusal("not_signed_in");
  return invitation;
}

/** Checked before the account is looked up, so that a missing field reveals nothing about the address. */
function readPerson({ name, password }: AcceptInvitation): { name: string; password: string } {
  if (name === undefined || password === undefined) {
    const missing = Object.entries({ "/name": name, "/password": password }).filter(([, value]) => value === undefined);
    throw invalidInput(missing.map(([path]) => ({ path, message: "is required" })));
  }
  return { name, password };
}

/** Throws `not_signed_in` if somebody has created an account for the address meanwhile. */
async function makePerson(
  tx: Transaction,
  email: string,
  { name, hash }: { name: string; hash: string },
  verifiedAt: Date | null,
): Promise<string> {
  const { id } = await tx
    .insertInto("users")
    .values({ name, email, email_verified_at: verifiedAt })
    .onConflict((conflict) =>
      conflict
        .column("email")
        .where("provider_organisation_id", "is", null)
        .doUpdateSet({ name, email_verified_at: verifiedAt }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  // Invitations of several organisations to one address wait for each other here: only the first sets the password.
  if (await hasAccount(tx, email)) throw new Refusal("not_signed_in");
  await writePassword(tx, id, hash);
  return id;
}
