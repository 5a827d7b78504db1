import type { PasswordLink, SetPassword } from "@lodge/contract/dashboard/access";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { endSessions } from "../access/end-sessions.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { hashPassword } from "../access/password-hash.ts";
import { writePassword } from "./apply-password.ts";
import { clearAccount } from "./clear-account.ts";
import { hashLinkSecret } from "./link-secret.ts";
import { isStillAllowedSql } from "./make-password-link.ts";

/** The person of a password link. Throws `password_link_not_found`. */
export async function findPasswordLink(deps: Deps, secret: string): Promise<PasswordLink> {
  const { email, verifies } = await selectLink(deps, deps.db, secret);
  return { email, verifiesAddress: verifies };
}

/**
 * Sets the password of the link's person, uses up the link, and ends all of the person's sessions. A mailed link
 * verifies the address and, if it was not verified before, removes everything that somebody else may have planted in
 * the account (`clearAccount`). After a link that an owner or admin made, the address counts as unverified: they may
 * have used it themselves, and the next mailed link removes what they planted. Throws `rate_limit_exceeded` or
 * `password_link_not_found`.
 */
export async function setPassword(
  deps: Deps,
  address: string,
  secret: string,
  { password }: SetPassword,
): Promise<{ email: string }> {
  await limitComingIn(deps, address);
  await selectLink(deps, deps.db, secret); // before paying for a hash
  const hash = await hashPassword(password);
  return deps.db.transaction().execute(async (tx) => {
    const { email, user_id, isMailed, verifies } = await selectLink(deps, tx, secret);
    const now = deps.clock.now();
    if (verifies) {
      await clearAccount(tx, { userId: user_id, now, by: "password reset by e-mail" });
      const verified = { email_verified_at: now, handed_over_at: null };
      await tx.updateTable("users").set(verified).where("id", "=", user_id).execute();
    } else {
      await endSessions(tx, user_id); // first, because work under `holdSession` may also use the link
      const handedOver = { email_verified_at: null, handed_over_at: now };
      if (!isMailed) await tx.updateTable("users").set(handedOver).where("id", "=", user_id).execute();
    }
    // If two people use it at the same time, the second finds nothing left to delete.
    const { numDeletedRows } = await tx
      .deleteFrom("password_links")
      .where("secret_sha256", "=", hashLinkSecret(secret))
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Refusal("password_link_not_found");
    await writePassword(tx, user_id, hash);
    await endSessions(tx, user_id);
    return { email };
  });
}

async function selectLink({ clock }: Deps, db: Database, secret: string) {
  const link = await db
    .selectFrom("password_links")
    .innerJoin("users", "users.id", "password_links.user_id")
    .select(["user_id", "email"])
    .select(sql<boolean>`maker_id is null`.as("isMailed"))
    .select(sql<boolean>`maker_id is null and email_verified_at is null`.as("verifies"))
    .where("secret_sha256", "=", hashLinkSecret(secret))
    .where("expires_at", ">", clock.now())
    .where(sql<boolean>`${sql.raw(isStillAllowedSql)}`)
    .executeTakeFirst();
  if (!link) throw new Refusal("password_link_not_found");
  return link;
}
