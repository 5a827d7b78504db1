import { listAudit as listAuditOperation } from "@lodge/contract/dashboard/organisation";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listAudit } from "./list-audit.ts";

/** The audit log, for owners and admins. */
export function auditRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, listAuditOperation, ({ actor, query }) => listAudit(deps, actor, query));
}
