import { eraseReports as eraseReportsOperation } from "@lodge/contract/dashboard/erasures";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { eraseReports } from "./erase-reports.ts";

/** How long one request erases; who asks again goes on. */
const requestMsMax = 5_000;

/** What owners and admins erase of reports. */
export function retentionRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, eraseReportsOperation, ({ actor: { organisationId, userId, name }, body }) =>
    eraseReports(deps, organisationId, { userId, name }, body, requestMsMax),
  );
}
