import type { FastifyPluginAsync } from "fastify";
import Type from "typebox";
import { findActor } from "../access/find-actor.ts";
import { requireActor } from "../access/require-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { dashboardSchema } from "../platform/http/dashboard-schema.ts";
import { listen } from "./listen.ts";
import { serveStreams } from "./stream.ts";

const eventStream = Type.String({ description: "Server-sent events: ids of what changed, to fetch anew." });

/** `GET /api/dashboard/events`: what happens in the organisation, as it happens. */
export const liveRoutes =
  (deps: Deps): FastifyPluginAsync =>
  async (app) => {
    const listening = listen(deps);
    const streams = serveStreams(listening);
    app.addHook("preClose", async () => {
      streams.close();
      await listening.close();
    });

    app.get(
      "/events",
      {
        exposeHeadRoute: false, // its answer would never end
        onRequest: requireActor(deps, "member"),
        schema: dashboardSchema("member", "streamEvents", "Hear what changes", {
          200: { description: "The stream.", content: { "text/event-stream": { schema: eventStream } } },
        }),
      },
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
    );
  };
