import { showOwnToken } from "@lodge/contract/tokens";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { describeToken } from "./describe-token.ts";
import { requireToken } from "./require-token.ts";

/** The operation that describes the token of the request (contract section 8). */
export function ownTokenRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  serve(app, showOwnToken, ({ token }) => describeToken(deps, token), { onRequest: requireToken(deps, showOwnToken) });
}
