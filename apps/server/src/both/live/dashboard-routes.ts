import { streamEvents } from "@lodge/contract/dashboard/events";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { serveStreams } from "./stream.ts";

/** Events of the organisation as they happen. */
export function liveRoutes(app: FastifyInstance, deps: Deps) {
  const streams = serveStreams(deps);
  app.addHook("preClose", async () => streams.close());

  serve(
    app,
    streamEvents,
    async ({ actor, headers, query }, reply) => {
      const reconnected = headers["last-event-id"];
      const stream = await streams.open(actor, typeof reconnected === "string" ? reconnected : query.after);
      return reply
        .type("text/event-stream; charset=utf-8")
        .header("cache-control", "no-store, no-transform")
        .header("x-accel-buffering", "no")
        .send(stream);
    },
    { exposeHeadRoute: false }, // its answer would never end
  );
}
