import type { DeletionQuery } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../access/find-actor.ts";
import { holdEmptyColumns } from "../boards/hold-empty-columns.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";

/** Deletes a project with its empty boards. Throws `project_not_found`, `not_empty` or `only_archived`. */
export async function deleteProject(
  { db }: Deps,
  { organisationId }: Actor,
  projectId: string,
  query: DeletionQuery,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const project = await tx
      .selectFrom("projects")
      .select("id")
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
    await tx.deleteFrom("projects").where("organisation_id", "=", organisationId).where("id", "=", projectId).execute();
    await publish(tx, organisationId, { kind: "projects.changed" });
  });
}
