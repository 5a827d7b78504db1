import type { Transaction } from "../platform/database.ts";
import { hashTokenSecret, makeTokenSecret, prefixOf } from "./token-secret.ts";

/** What a token may do, and where. */
export type TokenGrant = { name: string; permissions: readonly string[]; projectIds: readonly string[] | "all" };

/**
 * Makes a live API token, or changes the permissions and the scope of the one with this name.
 * `secret` is null where the token exists: only a hash of it is kept (interface section 2.1).
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
  if (!found) return createToken(tx, organisationId, grant);
  await tx
    .updateTable("tokens")
    .set({ permissions: [...grant.permissions], scope: scopeOf(grant) })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", found.id)
    .execute();
  await replaceProjects(tx, organisationId, found.id, grant);
  return { id: found.id, name: grant.name, secret: null };
}

/** Makes an API token; the secret is in the result and nowhere else. */
async function createToken(tx: Transaction, organisationId: string, grant: TokenGrant) {
  const secret = makeTokenSecret();
  const { id } = await tx
    .insertInto("tokens")
    .values({
      organisation_id: organisationId,
      name: grant.name,
      secret_sha256: hashTokenSecret(secret),
      prefix: prefixOf(secret),
      scope: scopeOf(grant),
      permissions: [...grant.permissions],
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await replaceProjects(tx, organisationId, id, grant);
  return { id, name: grant.name, secret };
}

async function replaceProjects(tx: Transaction, organisationId: string, tokenId: string, { projectIds }: TokenGrant) {
  await tx
    .deleteFrom("token_projects")
    .where("organisation_id", "=", organisationId)
    .where("token_id", "=", tokenId)
    .execute();
  if (projectIds === "all" || projectIds.length === 0) return;
  await tx
    .insertInto("token_projects")
    .values(projectIds.map((project_id) => ({ organisation_id: organisationId, token_id: tokenId, project_id })))
    .execute();
}

const scopeOf = ({ projectIds }: TokenGrant) => (projectIds === "all" ? "all" : "projects");
