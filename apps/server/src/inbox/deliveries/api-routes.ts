import { listEvents } from "@lodge/contract/events";
import type { FastifyInstance } from "fastify";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { pollEvents } from "./poll-events.ts";

/** The operation by which programs poll for events (contract section 8). */
export function eventRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  const polls = pollEvents(deps);
  app.addHook("preClose", async () => polls.close());
  serve(
    app,
    listEvents,
    async ({ token, query }, reply) => {
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      return reply.type("application/json; charset=utf-8").send(await polls.poll(token, query, gone.signal));
    },
    { onRequest: requireToken(deps, listEvents) },
  );
}
