import type { Transaction } from "kysely";
import type { DB } from "../platform/database/database.generated.ts";

/** A person as an export has them. `password` is its hash; null for who never had one. */
export type ExportedPerson = {
  user: { id: string; email: string; name: string; image: string | null; email_verified: boolean };
  password: string | null;
};

/** Who a person of another installation is here: whoever has their address, or somebody new with the password of there. */
export async function importPerson(tx: Transaction<DB>, { user, password }: ExportedPerson): Promise<string> {
  const known = await tx
    .selectFrom("users")
    .select("id")
    .where((is) => is.or([is("email", "=", user.email), is("id", "=", user.id)]))
    .executeTakeFirst();
  if (known) return known.id;
  const { id, email, name, image, email_verified } = user;
  await tx.insertInto("users").values({ id, email, name, image, email_verified }).execute();
  if (password !== null) {
    await tx
      .insertInto("accounts")
      .values({ user_id: id, account_id: id, provider_id: "credential", password })
      .execute();
  }
  return id;
}
