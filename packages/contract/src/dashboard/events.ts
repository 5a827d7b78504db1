import Type from "typebox";
import { dashboard } from "./operation.ts";

/**
 * The stream of what happens in the organisation that was the current one when it was opened; after switching, open
 * another. A comment line comes every 20 seconds. The server ends the stream of a session that has ended and of a member
 * who was removed; the browser reconnects by itself and is answered with 401 or 403.
 */
export const streamEvents = dashboard({
  id: "streamEvents",
  method: "GET",
  path: "/api/dashboard/events",
  role: "member",
  answers: {
    200: {
      media: "text/event-stream",
      description: "The stream: ids of what changed, to fetch anew.",
      schema: Type.String(),
    },
  },
  errors: ["too_many_streams"],
  summary: "Hear what changes",
  description: "Server-sent events. At most 8 streams for each session.",
});
