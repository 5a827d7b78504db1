import type { AcceptInvitation } from "@lodge/contract/dashboard/access";
import type { SignedIn } from "../access/find-actor.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { hashPassword } from "../access/password-hash.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Database, Transaction } from "../platform/database/database.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput, Refusal } from "../platform/errors.ts";
import { writePassword } from "./apply-password.ts";
import { hasAccount, selectInvitation } from "./find-invitation.ts";

/**
 * Makes whoever has the link a member: the person who is signed in, or a new one with the name and password given.
 * Throws `rate_limit_exceeded`, `invitation_not_found`, `invited_somebody_else`, `not_signed_in` or `invalid_input`.
 * All of it is looked at, and the password hashed, before anything is locked; and then again.
 */
export async function acceptInvitation(
  deps: Deps,
  address: string,
  secret: string,
  signedIn: SignedIn | undefined,
  input: AcceptInvitation,
): Promise<{ organisationId: string; email: string }> {
  await limitComingIn(deps, address);
  await checkInvitation(deps.db, await selectInvitation(deps, deps.db, secret).executeTakeFirst(), signedIn);
  const person = signedIn ? undefined : await readPerson(input);
  return deps.db.transaction().execute(async (tx) => {
    const found = await selectInvitation(deps, tx, secret).forUpdate("invitations").executeTakeFirst();
    const { id, organisation_id, email, role } = await checkInvitation(tx, found, signedIn);
    const userId = person ? await makePerson(tx, email, person) : signedIn?.userId;
    if (userId === undefined) throw new Error("nobody accepts the invitation");
    const { numInsertedOrUpdatedRows: joined } = await tx
      .insertInto("members")
      .values({ organisation_id, user_id: userId, role })
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

/** The invitation, if whoever is signed in, or nobody, may accept it. */
async function checkInvitation(db: Database, invitation: Invitation, signedIn: SignedIn | undefined) {
  if (!invitation) throw new Refusal("invitation_not_found");
  if (signedIn && signedIn.email !== invitation.email) throw new Refusal("invited_somebody_else");
  if (!signedIn && (await hasAccount(db, invitation.email))) throw new Refusal("not_signed_in");
  return invitation;
}

type Person = { name: string; hash: string };

async function readPerson({ name, password }: AcceptInvitation): Promise<Person> {
  if (name === undefined || password === undefined) {
    const missing = Object.entries({ "/name": name, "/password": password }).filter(([, value]) => value === undefined);
    throw invalidInput(missing.map(([path]) => ({ path, message: "is required" })));
  }
  return { name, hash: await hashPassword(password) };
}

/** Throws `not_signed_in` where somebody has become the owner of the address meanwhile. */
async function makePerson(tx: Transaction, email: string, { name, hash }: Person): Promise<string> {
  const { id } = await tx
    .insertInto("users")
    .values({ name, email })
    .onConflict((conflict) => conflict.column("email").doUpdateSet({ name }))
    .returning("id")
    .executeTakeFirstOrThrow();
  // Invitations of several organisations to one address take turns at its row: only the first chooses the password.
  if (await hasAccount(tx, email)) throw new Refusal("not_signed_in");
  await writePassword(tx, id, hash);
  return id;
}
