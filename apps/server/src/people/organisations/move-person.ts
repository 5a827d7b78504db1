import type { Transaction } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";

/** Somebody as another cell has them. `isMember` says whether they come to live here, or are only named by what comes. */
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
 * Has a person of another cell be known here under the same id. The password account of an address is one
 * person's: it is of whoever lives here, and of others who have it nothing but the name is shown.
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

/** An address at which nobody is reached, nor signs in. */
const nobodys = (id: string) => `${id}@elsewhere.invalid`;
