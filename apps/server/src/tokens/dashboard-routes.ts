import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ApiToken, ApiTokenList, ChangeApiToken, CreateApiToken, NewApiToken } from "@lodge/contract/dashboard/tokens";
import { requireActor } from "../access/require-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { dashboardSchema, noContent } from "../platform/http/dashboard-schema.ts";
import { pathId } from "../platform/http/path-ids.ts";
import { changeToken } from "./change-token.ts";
import { createToken } from "./create-token.ts";
import { listTokens } from "./list-tokens.ts";
import { revokeToken } from "./revoke-token.ts";

const tokenPath = pathId("tokenId", "token_not_found", "The token.");

/** API tokens, below `/api/dashboard`: all of it for owners and admins (interface section 2.1). */
export const tokenRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.addHook("onRequest", requireActor(deps, "admin"));

    app.get(
      "/tokens",
      { schema: dashboardSchema("admin", "listTokens", "List the live tokens", { 200: ApiTokenList }) },
      (request) => listTokens(deps, request.actor),
    );
    app.post(
      "/tokens",
      {
        schema: {
          ...dashboardSchema("admin", "createToken", "Make a token", { 201: NewApiToken }),
          body: CreateApiToken,
        },
      },
      async (request, reply) => reply.code(201).send(await createToken(deps, request.actor, request.body)),
    );
    app.patch(
      "/tokens/:tokenId",
      {
        schema: {
          ...dashboardSchema("admin", "changeToken", "Rename or re-scope a token", { 200: ApiToken }),
          params: tokenPath,
          body: ChangeApiToken,
        },
      },
      (request) => changeToken(deps, request.actor, request.params.tokenId, request.body),
    );
    app.delete(
      "/tokens/:tokenId",
      { schema: { ...dashboardSchema("admin", "revokeToken", "Revoke a token", noContent), params: tokenPath } },
      async (request, reply) => {
        await revokeToken(deps, request.actor, request.params.tokenId);
        return reply.code(204).send(null);
      },
    );
  };
