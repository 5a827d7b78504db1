import type { BindRepository, Repository } from "@lodge/contract/dashboard/organisation";
import { repositoriesMax } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { isUniqueViolation } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";

/**
 * Binds a Git repository to a project: the agent may work on it for the project's tickets. Throws `project_not_found`,
 * `repository_name_taken`, `too_many`, or `invalid_input` for an address with a password.
 */
export async function bindRepository(
  { db, clock }: Deps,
  actor: Actor,
  projectId: string,
  { name, url, credentialsEnv }: BindRepository,
): Promise<Repository> {
  if (URL.parse(url)?.password) {
    const message = "must not contain a password: name the runner's environment variable for it instead";
    throw invalidInput([{ path: "/url", message }]);
  }
  const { organisationId } = actor;
  try {
    return await db.transaction().execute(async (tx) => {
      const project = await tx
        .selectFrom("projects")
        .select(["id", "name"])
        .where("organisation_id", "=", organisationId)
        .where("id", "=", projectId)
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!project) throw new Refusal("project_not_found");
      const { count } = await tx
        .selectFrom("repositories")
        .select((make) => make.fn.countAll<number>().as("count"))
        .where("organisation_id", "=", organisationId)
        .where("project_id", "=", project.id)
        .executeTakeFirstOrThrow();
      if (count >= repositoriesMax) throw new Refusal("too_many");
      const { id } = await tx
        .insertInto("repositories")
        .values({
          organisation_id: organisationId,
          project_id: project.id,
          name,
          url,
          credentials_env: credentialsEnv,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await recordAudit(tx, actor, clock.now(), "repository.bound", { project: project.name, repository: name, url });
      await publish(tx, organisationId, { kind: "projects.changed" });
      return { id, name, url };
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new Refusal("repository_name_taken") : error;
  }
}
