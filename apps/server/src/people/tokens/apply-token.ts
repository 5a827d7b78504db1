import type { Transaction } from "../../platform/database/database.ts";
import { insertToken } from "./insert-token.ts";
import { replaceProjects, scopeOf, type TokenGrant } from "./token-grant.ts";

/**
 * Creates an API token, or changes the permissions and scope of the live one with this name. `secret` is null if the
 * token exists: only a hash of it is stored (interface section 2.1).
 */
export async function applyToken(
  tx: Transaction,
  organisationId: string,
  grant: TokenGrant,
): Promise<{ id: string; name: string; secret: string | null }> {
  const found = await tx
    .selectFrom("tokens")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("name", "=", grant.name)
    .where("revoked_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (!found) {
    const { id, secret } = await insertToken(tx, organisationId, grant);
    return { id, name: grant.name, secret };
  }
  await tx
    .updateTable("tokens")
    .set({
      permissions: [...grant.permissions],
      scope: scopeOf(grant.projectIds),
      ...(grant.runsPerDay !== undefined && { runs_per_day: grant.runsPerDay }),
    })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", found.id)
    .execute();
  await replaceProjects(tx, organisationId, found.id, grant.projectIds);
  return { id: found.id, name: grant.name, secret: null };
}
