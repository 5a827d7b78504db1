import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ChangeProject, CreateProject, Project, ProjectList } from "@lodge/contract/dashboard/boards";
import { requireActor } from "../access/require-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { dashboardSchema, noContent } from "../platform/http/dashboard-schema.ts";
import { pathId } from "../platform/http/path-ids.ts";
import { changeProject } from "./change-project.ts";
import { createProject } from "./create-project.ts";
import { deleteProject } from "./delete-project.ts";
import { listProjects } from "./list-projects.ts";

const projectPath = pathId("projectId", "project_not_found", "The project.");

/** Projects, below `/api/dashboard`: everybody sees them, owners and admins change them. */
export const projectRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const admin = requireActor(deps, "admin");

    app.get(
      "/projects",
      {
        onRequest: requireActor(deps, "member"),
        schema: dashboardSchema("member", "listProjects", "List the projects", { 200: ProjectList }),
      },
      (request) => listProjects(deps, request.actor),
    );
    app.post(
      "/projects",
      {
        onRequest: admin,
        schema: {
          ...dashboardSchema("admin", "createProject", "Make a project", { 201: Project }),
          body: CreateProject,
        },
      },
      async (request, reply) => reply.code(201).send(await createProject(deps, request.actor, request.body)),
    );
    app.patch(
      "/projects/:projectId",
      {
        onRequest: admin,
        schema: {
          ...dashboardSchema("admin", "changeProject", "Rename or move a project", { 200: Project }),
          params: projectPath,
          body: ChangeProject,
        },
      },
      (request) => changeProject(deps, request.actor, request.params.projectId, request.body),
    );
    app.delete(
      "/projects/:projectId",
      {
        onRequest: admin,
        schema: {
          ...dashboardSchema("admin", "deleteProject", "Delete a project without tickets", noContent),
          params: projectPath,
        },
      },
      async (request, reply) => {
        await deleteProject(deps, request.actor, request.params.projectId);
        return reply.code(204).send(null);
      },
    );
  };
