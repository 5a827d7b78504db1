import type { DeletionQuery } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { holdEmptyColumns } from "../boards/hold-empty-columns.ts";
import { refuseFiling } from "../boards/list-filing-subscribers.ts";

/** Deletes a project with its empty boards. Throws `project_not_found`, `not_empty`, `only_archived` or `board_has_subscribers`. */
export async function deleteProject(
  { db, clock }: Deps,
  actor: Actor,
  projectId: string,
  query: DeletionQuery,
): Promise<void> {
  const { organisationId } = actor;
  await db.transaction().execute(async (tx) => {
    const project = await tx
      .selectFrom("projects")
      .select(["id", "name"])
      .where("organisation_id", "=", organisationId)
      .where("id", "=", projectId)
      .forUpdate()
      .executeTakeFirst();
    if (!project) throw new Refusal("project_not_found");
    await tx
      .selectFrom("boards")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("project_id", "=", projectId)
      .orderBy("id")
      .forUpdate()
      .execute();
    const columns = await tx
      .selectFrom("columns")
      .innerJoin("boards", (join) =>
        join
          .onRef("boards.organisation_id", "=", "columns.organisation_id")
          .onRef("boards.id", "=", "columns.board_id"),
      )
      .select("columns.id")
      .where("columns.organisation_id", "=", organisationId)
      .where("boards.project_id", "=", projectId)
      .execute();
    await holdEmptyColumns(
      tx,
      organisationId,
      columns.map(({ id }) => id),
      query,
    );
    await refuseFiling(tx, organisationId, { projectId: project.id }, query);
    await recordAudit(tx, actor, clock.now(), "project.deleted", { project: project.name });
    await tx.deleteFrom("projects").where("organisation_id", "=", organisationId).where("id", "=", projectId).execute();
    await publish(tx, organisationId, { kind: "projects.changed" });
  });
}
