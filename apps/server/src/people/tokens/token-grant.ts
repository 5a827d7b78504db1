import type { Transaction } from "../../platform/database/database.ts";

/** The permissions and projects of a token. */
export type TokenGrant = {
  name: string;
  permissions: readonly string[];
  projectIds: readonly string[] | "all";
  /** The number of the agent's runs that may start in a day on tickets of this token; null for no limit. */
  runsPerDay?: number | null | undefined;
};

/** The scope as the table stores it. */
export const scopeOf = (projectIds: TokenGrant["projectIds"]) => (projectIds === "all" ? "all" : "projects");

/** Gives a token access to exactly these projects, all of which must be the organisation's. */
export async function replaceProjects(
  tx: Transaction,
  organisationId: string,
  tokenId: string,
  projectIds: TokenGrant["projectIds"],
): Promise<void> {
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
