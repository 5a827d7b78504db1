import type { Transaction } from "../../platform/database/database.ts";
import { replaceProjects, scopeOf, type TokenGrant } from "./token-grant.ts";
import { hashTokenSecret, makeTokenSecret, prefixOf } from "./token-secret.ts";

/** Creates an API token; the secret is only in the result. */
export async function insertToken(
  tx: Transaction,
  organisationId: string,
  { name, permissions, projectIds, runsPerDay }: TokenGrant,
): Promise<{ id: string; secret: string }> {
  const secret = makeTokenSecret();
  const { id } = await tx
    .insertInto("tokens")
    .values({
      organisation_id: organisationId,
      name,
      secret_sha256: hashTokenSecret(secret),
      prefix: prefixOf(secret),
      scope: scopeOf(projectIds),
      permissions: [...permissions],
      runs_per_day: runsPerDay ?? null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await replaceProjects(tx, organisationId, id, projectIds);
  return { id, secret };
}
