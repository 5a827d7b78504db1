import type { ChangeProject, Project } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import { renumber, withMoved } from "../../platform/database/renumber.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readProjects } from "./list-projects.ts";
import { lockProjects } from "./lock-projects.ts";

/** Renames a project, which keeps its slug, or moves it among the others. Throws `project_not_found`. */
export function changeProject(
  { db }: Deps,
  { organisationId }: Actor,
  projectId: string,
  { name, index }: ChangeProject,
): Promise<Project> {
  return db.transaction().execute(async (tx) => {
    const projects = await lockProjects(tx, organisationId);
    const found = projects.find(({ id }) => id === projectId.toLowerCase());
    if (!found) throw new Refusal("project_not_found");
    if (name !== undefined) {
      await tx
        .updateTable("projects")
        .set({ name })
        .where("organisation_id", "=", organisationId)
        .where("id", "=", found.id)
        .execute();
    }
    if (index !== undefined) {
      const ids = projects.map(({ id }) => id);
      await renumber(tx, "projects", organisationId, withMoved(ids, found.id, index));
    }
    await publish(tx, organisationId, { kind: "projects.changed" });
    const [project] = await readProjects(tx, organisationId, found.id);
    return project as Project;
  });
}
