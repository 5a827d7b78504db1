import type { World } from "@lodge/contract/world";
import type { Transaction } from "../../platform/database/database.ts";
import { projectCount } from "./project-count.ts";

type Project = NonNullable<World["projects"]>[number];

/** Creates a project with its repositories, or changes what differs. Matched by slug; repositories by name. */
export async function applyProject(
  tx: Transaction,
  organisationId: string,
  { slug, name, repositories = [] }: Project,
): Promise<{ id: string; repositories: { id: string; name: string }[] }> {
  const project = await tx
    .insertInto("projects")
    .values({ organisation_id: organisationId, slug, name, position: projectCount(organisationId) })
    .onConflict((conflict) => conflict.columns(["organisation_id", "slug"]).doUpdateSet({ name }))
    .returning("id")
    .executeTakeFirstOrThrow();
  const bound = [];
  for (const { name, url, credentialsEnv } of repositories) {
    const repository = await tx
      .insertInto("repositories")
      .values({ organisation_id: organisationId, project_id: project.id, name, url, credentials_env: credentialsEnv })
      .onConflict((conflict) =>
        conflict
          .columns(["organisation_id", "project_id", "name"])
          .doUpdateSet({ url, credentials_env: credentialsEnv }),
      )
      .returning("id")
      .executeTakeFirstOrThrow();
    bound.push({ id: repository.id, name });
  }
  return { id: project.id, repositories: bound };
}
