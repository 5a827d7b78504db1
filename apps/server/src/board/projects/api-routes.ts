import { listReach as listReachOperation } from "@lodge/contract/projects";
import type { FastifyInstance } from "fastify";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listReach } from "./list-reach.ts";

/** The operation that lists what a token has access to (contract section 8). */
export function reachRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  serve(app, listReachOperation, ({ token }) => listReach(deps, token), {
    onRequest: requireToken(deps, listReachOperation),
  });
}
