import type { Transaction } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";
import { OperatorError } from "../../platform/errors.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";
import { removePassword, writePassword } from "./apply-password.ts";
import { clearAccount, isTrusted } from "./clear-account.ts";

/** A person in an export. `password` is the hash; null if they never had one. */
export type ExportedPerson = {
  user: {
    id: string;
    email: string;
    name: string;
    email_verified_at: string | null;
    handed_over_at?: string | null;
    provider_organisation_id: string | null;
  };
  password: string | null;
};

/**
 * Finds the account of an imported person by address, or creates one with the imported password. An account that
 * anybody may have created for the address is taken over, with the imported password. Throws an `OperatorError` for a
 * person of another organisation's identity provider.
 */
export async function importPerson(
  tx: Transaction<DB>,
  { now, organisationId }: { now: Date; organisationId: string },
  { user, password }: ExportedPerson,
): Promise<string> {
  const { id, email, name, email_verified_at, handed_over_at = null, provider_organisation_id } = user;
  if (provider_organisation_id !== null && provider_organisation_id !== organisationId) {
    throw new OperatorError(`it has the account ${id} of another organisation's identity provider`);
  }
  const known = await tx
    .selectFrom("users")
    .select("id")
    .where((make) =>
      provider_organisation_id === null
        ? make.or([isPasswordAccountOf(email)(make), make.eb("id", "=", id)])
        : make.eb("id", "=", id),
    )
    .executeTakeFirst();
  if (known && (await isTrusted(tx, known.id))) return known.id;
  if (known) {
    await clearAccount(tx, { userId: known.id, now, by: "lodged import" });
    await removePassword(tx, known.id);
  } else {
    await tx
      .insertInto("users")
      .values({ id, email, name, email_verified_at, handed_over_at, provider_organisation_id })
      .execute();
  }
  const userId = known?.id ?? id;
  if (password !== null && provider_organisation_id === null) await writePassword(tx, userId, password);
  return userId;
}
