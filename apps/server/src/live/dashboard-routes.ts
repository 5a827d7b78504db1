import { streamEvents } from "@lodge/contract/dashboard/events";
import type { FastifyInstance } from "fastify";
import { findActor } from "../access/find-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { serve } from "../platform/http/serve.ts";
import { listen } from "./listen.ts";
import { serveStreams } from "./stream.ts";

/** What happens in the organisation, as it happens. */
export function liveRoutes(app: FastifyInstance, deps: Deps) {
  const listening = listen(deps);
  const streams = serveStreams(listening);
  app.addHook("preClose", async () => {
    streams.close();
    await listening.close();
  });

  serve(
    app,
    streamEvents,
    async ({ actor, headers }, reply) => {
      const stream = await streams.open(actor, headers["last-event-id"] !== undefined, async () => {
        const now = await findActor(deps, headers.cookie);
        return now?.actor?.organisationId === actor.organisationId;
      });
      return reply
        .type("text/event-stream; charset=utf-8")
        .header("cache-control", "no-store, no-transform")
        .header("x-accel-buffering", "no")
        .send(stream);
    },
    { exposeHeadRoute: false }, // its answer would never end
  );
}
