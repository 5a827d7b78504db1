import * as boards from "@lodge/contract/dashboard/boards";
import * as organisation from "@lodge/contract/dashboard/organisation";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { bindRepository } from "./bind-repository.ts";
import { changeProject } from "./change-project.ts";
import { createProject } from "./create-project.ts";
import { deleteProject } from "./delete-project.ts";
import { listProjects } from "./list-projects.ts";
import { listReach } from "./list-reach.ts";
import { unbindRepository } from "./unbind-repository.ts";

/** Projects: everybody sees them, owners and admins change them. */
export function projectRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, boards.listProjects, ({ actor }) => listProjects(deps, actor));
  serve(app, boards.createProject, ({ actor, body }) => createProject(deps, actor, body));
  serve(app, boards.changeProject, ({ actor, params, body }) => changeProject(deps, actor, params.projectId, body));
  serve(app, organisation.bindRepository, ({ actor, params, body }) =>
    bindRepository(deps, actor, params.projectId, body),
  );
  serve(app, organisation.unbindRepository, ({ actor, params }) => unbindRepository(deps, actor, params.repositoryId));
  serve(app, organisation.listTicketIds, ({ actor: { organisationId } }) =>
    listReach(deps, { organisationId, id: organisationId, reachesAllProjects: true }),
  );
  serve(app, boards.deleteProject, ({ actor, params, query }) => deleteProject(deps, actor, params.projectId, query));
}
