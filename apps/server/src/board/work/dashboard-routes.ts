import * as work from "@lodge/contract/dashboard/work";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { changeFollowing, getFollowing } from "./follow-ticket.ts";
import { listWork } from "./list-work.ts";

/** The tickets that a member is assigned to or follows, and whether they follow a ticket. */
export function workRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, work.listWork, ({ actor, query }) => listWork(deps, actor, query));
  serve(app, work.getFollowing, ({ actor, params }) => getFollowing(deps, actor, params.ticketId));
  serve(app, work.changeFollowing, ({ actor, params, body }) => changeFollowing(deps, actor, params.ticketId, body));
}
