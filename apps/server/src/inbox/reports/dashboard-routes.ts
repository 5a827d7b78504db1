import * as apps from "@lodge/contract/dashboard/apps";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listRefusals } from "./list-refusals.ts";

/** The operation that lists refused reports. */
export function refusalRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, apps.listRefusals, ({ actor, params, query }) => listRefusals(deps, actor, params.appId, query));
}
