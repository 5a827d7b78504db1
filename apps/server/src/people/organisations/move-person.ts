import type { Transaction } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";

/** A person of another cell. `isMember` says whether they move to this cell, or moved rows only refer to them. */
export type MovedPerson = {
  id: string;
  email: string;
  name: string;
  email_verified_at: Date | null;
  handed_over_at: Date | null;
  provider_organisation_id: string | null;
  created_at: Date;
  isMember: boolean;
};

/**
 * Creates or updates a person of another cell under the same id. An address has one password account, which is that of
 * the person who lives in this cell; only the names of others are stored.
 */
export async function movePerson(tx: Transaction<DB>, { isMember, ...person }: MovedPerson): Promise<void> {
  const holder =
    person.provider_organisation_id === null
      ? await tx
          .selectFrom("users")
          .select("id")
          .where(isPasswordAccountOf(person.email))
          .where("id", "<>", person.id)
          .executeTakeFirst()
      : undefined;
  if (holder && isMember) {
    await tx
      .updateTable("users")
      .set({ email: nobodys(holder.id) })
      .where("id", "=", holder.id)
      .execute();
  }
  const email = holder && !isMember ? nobodys(person.id) : person.email;
  const { id: _, ...values } = { ...person, email };
  await tx
    .insertInto("users")
    .values({ id: person.id, ...values })
    .onConflict((conflict) =>
      isMember ? conflict.column("id").doUpdateSet(values) : conflict.column("id").doNothing(),
    )
    .execute();
}

/** An address that no mail reaches and nobody can sign in with. */
const nobodys = (id: string) => `${id}@elsewhere.invalid`;
