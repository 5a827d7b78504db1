import { ticketBodyBytesMax } from "@lodge/contract/limits";
import { callMcp } from "@lodge/contract/mcp";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { authenticateToken } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { parseJson, readBody } from "../../platform/http/json-body.ts";
import { serve } from "../../platform/http/serve.ts";
import { answerMcp } from "./answer-mcp.ts";

/** The MCP server over streamable HTTP (contract section 8). Each message counts as one request of the token. */
export function mcpRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  app.removeAllContentTypeParsers();
  const limits = { bytesMax: ticketBodyBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addContentTypeParser("*", async (request: FastifyRequest) =>
    parseJson(request.headers, await readBody(request, limits)),
  );
  // Clients check for a stream to listen to; there is none, and the web app must not answer.
  app.get("/mcp", { logLevel: "warn" }, () => {
    throw new Refusal("method_not_allowed", {}, { allow: "POST" });
  });
  const permissionsOf = new WeakMap<FastifyRequest, readonly string[]>();
  serve(
    app,
    callMcp,
    async (request, reply) => {
      // A list would send many messages for the price of one request.
      if (Array.isArray(request.body)) throw invalidInput([{ path: "", message: "must be one message, not a list" }]);
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers))
        if (value !== undefined) headers.set(name, `${value}`);
      const caller = { token: request.token, permissions: permissionsOf.get(request) ?? [] };
      const sent = new Request(`${deps.urls.base}/mcp`, { method: "POST", headers });
      const answer = await answerMcp(deps, caller, sent, request.body);
      const type = answer.headers.get("content-type");
      if (type) reply.type(type);
      return reply.code(answer.status).send(await answer.text());
    },
    {
      bodyLimit: ticketBodyBytesMax,
      onRequest: async (request) => {
        const { token, permissions } = await authenticateToken(deps, request.headers.authorization, null, undefined);
        request.token = token;
        permissionsOf.set(request, permissions);
      },
    },
  );
}
