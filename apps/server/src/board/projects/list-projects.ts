import type { Project, ProjectList } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";

/** The projects of an organisation in their order, with their boards and repositories. */
export async function listProjects({ db }: Deps, { organisationId }: Actor): Promise<ProjectList> {
  return { projects: await readProjects(db, organisationId) };
}

/** The same, or only the project with this id if it is the organisation's. */
export async function readProjects(db: Database, organisationId: string, projectId?: string): Promise<Project[]> {
  const projects = await db
    .selectFrom("projects")
    .select(["id", "name", "slug"])
    .where("organisation_id", "=", organisationId)
    .$if(projectId !== undefined, (query) => query.where("id", "=", projectId as string))
    .orderBy("position")
    .orderBy("id")
    .execute();
  const boards = await db
    .selectFrom("boards")
    .select(["project_id", "id", "name"])
    .where("organisation_id", "=", organisationId)
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId as string))
    .orderBy("position")
    .orderBy("id")
    .execute();
  const repositories = await db
    .selectFrom("repositories")
    .select(["project_id", "id", "name", "url"])
    .where("organisation_id", "=", organisationId)
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId as string))
    .orderBy("name")
    .execute();
  const boardsOf = Map.groupBy(boards, (board) => board.project_id);
  const repositoriesOf = Map.groupBy(repositories, (repository) => repository.project_id);
  return projects.map((project) => ({
    ...project,
    boards: (boardsOf.get(project.id) ?? []).map(({ id, name }) => ({ id, name })),
    repositories: (repositoriesOf.get(project.id) ?? []).map(({ id, name, url }) => ({ id, name, url })),
  }));
}
