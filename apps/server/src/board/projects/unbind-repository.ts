import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Removes a Git repository from its project; tickets that named it then name none. Throws `repository_not_found`, or
 * `repository_in_use` while a run of the agent works on it.
 */
export async function unbindRepository({ db, clock }: Deps, actor: Actor, repositoryId: string): Promise<void> {
  const { organisationId } = actor;
  await db.transaction().execute(async (tx) => {
    const repository = await tx
      .selectFrom("repositories")
      .innerJoin("projects", (join) =>
        join
          .onRef("projects.organisation_id", "=", "repositories.organisation_id")
          .onRef("projects.id", "=", "repositories.project_id"),
      )
      .select(["repositories.id", "repositories.name", "repositories.url", "projects.name as project"])
      .where("repositories.organisation_id", "=", organisationId)
      .where("repositories.id", "=", repositoryId)
      .forUpdate("repositories")
      .executeTakeFirst();
    if (!repository) throw new Refusal("repository_not_found");
    const run = await tx
      .selectFrom("agent_runs")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("repository_id", "=", repository.id)
      .where("state", "in", ["running", "awaiting_input"])
      .limit(1)
      .executeTakeFirst();
    if (run) throw new Refusal("repository_in_use");
    await tx
      .deleteFrom("repositories")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", repository.id)
      .execute();
    const { name, url, project } = repository;
    await recordAudit(tx, actor, clock.now(), "repository.unbound", { project, repository: name, url });
    await publish(tx, organisationId, { kind: "projects.changed" });
  });
}
