import Type from "typebox";
import { dashboard } from "./operation.ts";

/** The position to continue a stream from. */
export const StreamQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "The position to continue from: a session's `livePosition` or the id of a message. The stream starts with all changes since then, or with `resync` if the server no longer has them.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type StreamQuery = Type.Static<typeof StreamQuery>;

/**
 * The changes in the organisation that was selected when the stream was opened: after switching, open another stream. The
 * server sends `alive` every 20 seconds; if it does not arrive, the connection is dead. When the session ends or the member
 * is removed, the server ends the stream without sending further changes. The browser then reconnects and gets 401 or 403.
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
      description: "The event stream: the changes, with the current tickets.",
      schema: Type.String(),
    },
  },
  errors: ["too_many_streams"],
  summary: "Stream changes",
  description:
    "Server-sent events, at most 8 streams per session. `Last-Event-ID`, which browsers send when they reconnect, takes precedence over `after`.",
});
