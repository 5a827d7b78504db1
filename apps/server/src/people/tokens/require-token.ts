import type { apiToken, Operation } from "@lodge/contract/operation";
import type { FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { authenticateToken, type Token } from "./authenticate-token.ts";

declare module "fastify" {
  interface FastifyRequest {
    token: Token;
  }
}

/**
 * An `onRequest` hook that accepts a live token with the operation's permission, as `request.token` (contract section
 * 2, steps 1 to 3). Throws `invalid_api_token`, `rate_limit_exceeded` or `insufficient_scope`, in this order.
 */
export const requireToken =
  (deps: Deps, { credential: { permission } }: Operation & { credential: ReturnType<typeof apiToken> }) =>
  async (request: FastifyRequest): Promise<void> => {
    const { token } = await authenticateToken(deps, request.headers.authorization, permission, undefined);
    request.token = token;
  };
