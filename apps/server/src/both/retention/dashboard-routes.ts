import { eraseReports as eraseReportsOperation } from "@lodge/contract/dashboard/erasures";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { eraseReports } from "./erase-reports.ts";

/** The time that one request erases for; the next one continues. */
const requestMsMax = 5_000;

/** The operations with which owners and admins erase reports. */
export function retentionRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, eraseReportsOperation, ({ actor: { organisationId, userId, name }, body }) =>
    eraseReports(deps, organisationId, { userId, name }, body, requestMsMax),
  );
}
