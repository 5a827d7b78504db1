import { hashTokenSecret, makeTokenSecret } from "../../people/tokens/token-secret.ts";
import type { Transaction } from "../../platform/database/database.ts";

/** Creates a runner if there is none with this name. `secret` is null if it exists: only a hash of it is stored. */
export async function applyRunner(
  tx: Transaction,
  organisationId: string,
  name: string,
): Promise<{ id: string; name: string; secret: string | null }> {
  const found = await tx
    .selectFrom("runners")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("name", "=", name)
    .executeTakeFirst();
  if (found) return { id: found.id, name, secret: null };
  return { name, ...(await insertRunner(tx, organisationId, name)) };
}

/** Creates a runner. Its secret is only in the result. */
export async function insertRunner(tx: Transaction, organisationId: string, name: string) {
  const secret = makeTokenSecret("ldgrun_");
  const { id } = await tx
    .insertInto("runners")
    .values({ organisation_id: organisationId, name, secret_sha256: hashTokenSecret(secret) })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, secret };
}
