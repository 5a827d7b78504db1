import type { AcceptInvitation } from "@lodge/contract/dashboard/access";
import type { SignedIn } from "../access/find-actor.ts";
import type { Transaction } from "../platform/database/database.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput, Refusal } from "../platform/errors.ts";
import { applyPassword } from "./apply-password.ts";
import { hasAccount, selectInvitation } from "./find-invitation.ts";

/**
 * Makes whoever has the link a member: the person who is signed in, or a new one with the name and password given.
 * Throws `invitation_not_found`, `invited_somebody_else`, `not_signed_in` or `invalid_input`.
 */
export function acceptInvitation(
  deps: Deps,
  secret: string,
  signedIn: SignedIn | undefined,
  input: AcceptInvitation,
): Promise<{ organisationId: string; email: string }> {
  return deps.db.transaction().execute(async (tx) => {
    const invitation = await selectInvitation(deps, tx, secret).forUpdate("invitations").executeTakeFirst();
    if (!invitation) throw new Refusal("invitation_not_found");
    const { organisation_id, email } = invitation;
    if (signedIn && signedIn.email !== email) throw new Refusal("invited_somebody_else");
    if (!signedIn && (await hasAccount(tx, email))) throw new Refusal("not_signed_in");
    const userId = signedIn?.userId ?? (await makePerson(tx, email, input));
    await tx
      .insertInto("members")
      .values({ organisation_id, user_id: userId, role: invitation.role })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await tx
      .updateTable("invitations")
      .set({ status: "accepted" })
      .where("organisation_id", "=", organisation_id)
      .where("id", "=", invitation.id)
      .execute();
    await publish(tx, organisation_id, { kind: "members.changed" });
    await publish(tx, organisation_id, { kind: "invitations.changed" });
    return { organisationId: organisation_id, email };
  });
}

async function makePerson(tx: Transaction, email: string, { name, password }: AcceptInvitation): Promise<string> {
  if (name === undefined || password === undefined) {
    const missing = Object.entries({ "/name": name, "/password": password }).filter(([, value]) => value === undefined);
    throw invalidInput(missing.map(([path]) => ({ path, message: "is required" })));
  }
  const { id } = await tx
    .insertInto("users")
    .values({ name, email })
    .onConflict((conflict) => conflict.column("email").doUpdateSet({ name }))
    .returning("id")
    .executeTakeFirstOrThrow();
  await applyPassword(tx, id, password);
  return id;
}
