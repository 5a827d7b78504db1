import Type from "typebox";
import { NullableUuid, Text, Timestamp, Uuid } from "../text.ts";

/** The dashboard's API: threads with reporters. All of it is for every role. */

/** A thread as lists show it. */
export const ThreadSummary = Type.Object(
  {
    id: Uuid("The thread."),
    eventId: Uuid("The event that it is about."),
    app: Type.Object({ id: Uuid("The app."), name: Type.String({ description: "Its name." }) }),
    messageCount: Type.Integer({ description: "How many messages it has; the number of the last one." }),
    lastMessageAt: Type.Unsafe<string | null>({
      type: ["string", "null"],
      format: "date-time",
      description: "When the last one was posted; null where there is none.",
    }),
    awaitsAnswer: Type.Boolean({ description: "Whether the reporter wrote last." }),
    closed: Type.Union(
      [
        Type.Object({
          at: Timestamp("When."),
          byUserId: NullableUuid("The member who closed it; null once the person is gone."),
          byName: Type.String({ description: "Their name as it was then." }),
        }),
        Type.Null(),
      ],
      { description: "Null while both sides can write." },
    ),
    createdAt: Timestamp("When the report was accepted."),
  },
  { description: "A thread." },
);
export type ThreadSummary = Type.Static<typeof ThreadSummary>;

/** Query of `GET /api/dashboard/threads`. */
export const ThreadFilter = Type.Object({
  state: Type.Optional(Type.Enum(["open", "closed"], { description: "Default: both." })),
  eventId: Type.Optional(Uuid("Only the thread of this event, even one without messages.")),
  cursor: Type.Optional(Text({ maxLength: 200, description: "The `nextCursor` of the page before." })),
});
export type ThreadFilter = Type.Static<typeof ThreadFilter>;

/** Answer of `GET /api/dashboard/threads`: those with messages, of every app of the organisation. */
export const ThreadPage = Type.Object(
  {
    threads: Type.Array(ThreadSummary, { description: "The latest message first, at most 100." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: "What to send as `cursor` for those after." }),
  },
  { description: "Threads of the organisation." },
);
export type ThreadPage = Type.Static<typeof ThreadPage>;

// `GET /api/dashboard/threads/{threadId}/messages?after=…`: 200 `MessagePage`. Errors: 404 `thread_not_found`.
// `POST /api/dashboard/threads/{threadId}/messages`: `PostMessage`, 201 `Message`.
// Errors: 404 `thread_not_found`, 409 `thread_closed`.
// `POST /api/dashboard/threads/{threadId}/close`: for good; again changes nothing. 200 `ThreadSummary`.
// Errors: 404 `thread_not_found`.
