import * as usage from "@lodge/contract/dashboard/usage";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { showUsage } from "./show-usage.ts";
import { strikeOutMonth } from "./strike-out-month.ts";

/** Active installs against the limit: everybody sees them, and an owner excludes months that should not count. */
export function usageRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, usage.getUsage, ({ actor }) => showUsage(deps, actor));
  serve(app, usage.strikeOutMonth, ({ actor, body }) => strikeOutMonth(deps, actor, body));
}
