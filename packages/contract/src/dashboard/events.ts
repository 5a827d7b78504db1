import Type from "typebox";
import { dashboard } from "./operation.ts";

/** From where on to hear what happens. */
export const StreamQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "A position: a session's `livePosition`, or the id of a message. What happened since comes first, or `resync` where that is not known any more.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type StreamQuery = Type.Static<typeof StreamQuery>;

/**
 * The stream of what happens in the organisation that was the current one when it was opened; after switching, open
 * another. A message `alive` comes every 20 seconds: where none comes for longer, the connection is dead. The server ends
 * the stream of a session that has ended and of a member who was removed, before anything more is told; the browser
 * reconnects by itself and is answered with 401 or 403.
 */
export const streamEvents = dashboard({
  id: "streamEvents",
  method: "GET",
  path: "/api/dashboard/events",
  role: "member",
  query: StreamQuery,
  answers: {
    200: {
      media: "text/event-stream",
      description: "The stream: what changed, with the cards as they are now.",
      schema: Type.String(),
    },
  },
  errors: ["too_many_streams"],
  summary: "Hear what changes",
  description:
    "Server-sent events. At most 8 streams for each session. `Last-Event-ID`, which a browser sends by itself when it reconnects, goes before `after`.",
});
