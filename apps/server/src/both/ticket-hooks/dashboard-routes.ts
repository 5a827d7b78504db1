import * as hooks from "@lodge/contract/dashboard/hooks";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listHookDeliveries } from "./list-hook-deliveries.ts";
import { resendHookDeliveries, resendHookDelivery } from "./resend-hook-deliveries.ts";

/** The operations for the ticket deliveries of webhooks. */
export function ticketHookRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, hooks.listHookDeliveries, ({ actor, params, query }) =>
    listHookDeliveries(deps, actor, params.hookId, query),
  );
  serve(app, hooks.resendHookDelivery, ({ actor, params }) =>
    resendHookDelivery(deps, actor, params.hookId, params.deliveryId),
  );
  serve(app, hooks.resendHookDeliveries, ({ actor, params, body }) =>
    resendHookDeliveries(deps, actor, params.hookId, body),
  );
}
