import Type from "typebox";
import { pathId } from "../operation.ts";
import { Message, MessageFilter, MessagePage, PostMessage } from "../replies.ts";
import { NullableUuid, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

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

/** Which threads. */
export const ThreadFilter = Type.Object({
  state: Type.Optional(Type.Enum(["open", "closed"], { description: "Default: both." })),
  eventId: Type.Optional(Uuid("Only the thread of this event, even one without messages.")),
  cursor: Type.Optional(Text({ maxLength: 200, description: "The `nextCursor` of the page before." })),
});
export type ThreadFilter = Type.Static<typeof ThreadFilter>;

/** A page of the threads with messages, of every app of the organisation. */
export const ThreadPage = Type.Object(
  {
    threads: Type.Array(ThreadSummary, { description: "The latest message first, at most 100." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: "What to send as `cursor` for those after." }),
  },
  { description: "Threads of the organisation." },
);
export type ThreadPage = Type.Static<typeof ThreadPage>;

const threadPath = pathId("threadId", "thread_not_found", "The thread.");

export const listThreads = dashboard({
  id: "listThreads",
  method: "GET",
  path: "/api/dashboard/threads",
  role: "member",
  query: ThreadFilter,
  answers: { 200: ThreadPage },
  errors: [],
  summary: "List the threads with reporters",
  staleAfter: ["reply.received", "thread.changed"],
});

export const readThread = dashboard({
  id: "readThread",
  method: "GET",
  path: "/api/dashboard/threads/{threadId}/messages",
  role: "member",
  params: threadPath,
  query: MessageFilter,
  answers: { 200: MessagePage },
  errors: ["thread_not_found"],
  summary: "Read the messages of a thread",
  staleAfter: ["reply.received", "thread.changed"],
});

export const answerThread = dashboard({
  id: "answerThread",
  method: "POST",
  path: "/api/dashboard/threads/{threadId}/messages",
  role: "member",
  params: threadPath,
  body: PostMessage,
  answers: { 201: Message },
  errors: ["thread_not_found", "thread_closed"],
  summary: "Answer a reporter",
});

export const closeThread = dashboard({
  id: "closeThread",
  method: "POST",
  path: "/api/dashboard/threads/{threadId}/close",
  role: "member",
  params: threadPath,
  answers: { 200: ThreadSummary },
  errors: ["thread_not_found"],
  summary: "Close a thread for good",
  description: "Closing it again changes nothing.",
});
