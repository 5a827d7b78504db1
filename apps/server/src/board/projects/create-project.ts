import type { CreateProject, Project } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { slugOf } from "../../platform/slug.ts";
import { lockProjects } from "./lock-projects.ts";
import { projectCount } from "./project-count.ts";

/** Creates a project after the others, with a unique slug made from the name. */
export function createProject({ db }: Deps, { organisationId }: Actor, { name }: CreateProject): Promise<Project> {
  return db.transaction().execute(async (tx) => {
    const others = await lockProjects(tx, organisationId);
    const taken = others.map(({ slug }) => slug);
    const slug = slugOf(name, "project", taken);
    const { id } = await tx
      .insertInto("projects")
      .values({ organisation_id: organisationId, name, slug, position: projectCount(organisationId) })
      .returning("id")
      .executeTakeFirstOrThrow();
    await publish(tx, organisationId, { kind: "projects.changed" });
    return { id, name, slug, boards: [], repositories: [] };
  });
}
