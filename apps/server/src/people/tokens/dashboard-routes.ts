import * as tokens from "@lodge/contract/dashboard/tokens";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { changeToken } from "./change-token.ts";
import { createToken } from "./create-token.ts";
import { listTokens } from "./list-tokens.ts";
import { revokeToken } from "./revoke-token.ts";

/** API tokens (interface section 2.1). */
export function tokenRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, tokens.listTokens, ({ actor }) => listTokens(deps, actor));
  serve(app, tokens.createToken, ({ actor, body }) => createToken(deps, actor, body));
  serve(app, tokens.changeToken, ({ actor, params, body }) => changeToken(deps, actor, params.tokenId, body));
  serve(app, tokens.revokeToken, ({ actor, params }) => revokeToken(deps, actor, params.tokenId));
}
