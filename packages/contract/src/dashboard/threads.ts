import Type from "typebox";
import { noContent, pathId } from "../operation.ts";
import { Message, MessageFilter, MessagePage, PostMessage } from "../replies.ts";
import { NullableText, NullableUuid, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for threads with reporters. Open to every role. */

/** A thread as lists show it. */
export const ThreadSummary = Type.Object(
  {
    id: Uuid("The thread."),
    eventId: Uuid("The event of the thread."),
    app: Type.Object({ id: Uuid("The app."), name: Type.String({ description: "The name." }) }),
    title: Type.String({ description: "The title of the event. Empty until the event is in the inbox." }),
    message: Type.String({
      description: "The beginning of the reporter's message in the report, at most 300 characters.",
    }),
    reporter: NullableText("The reporter's name, or else e-mail address, or else id."),
    messageCount: Type.Integer({ description: "The number of messages." }),
    lastMessageAt: Type.Unsafe<string | null>({
      type: ["string", "null"],
      format: "date-time",
      description: "When the last message was posted. Null if there is none.",
    }),
    lastMessage: Type.Union(
      [
        Type.Object({
          author: Type.Enum(["reporter", "team"]),
          authorName: NullableText("The name of the member who wrote it. Null for the reporter."),
          text: Type.String({ description: "The beginning of the text, at most 200 characters." }),
        }),
        Type.Null(),
      ],
      { description: "The last message." },
    ),
    unreadCount: Type.Integer({
      description:
        "The number of messages that the reporter has sent since the team's last reply and that you have not read. 0 if the thread is closed.",
    }),
    reporterReadNumber: Type.Integer({
      description: "The number of the last message that the reporter has received. 0 for none.",
    }),
    awaitsAnswer: Type.Boolean({ description: "Whether the last message is from the reporter." }),
    closed: Type.Union(
      [
        Type.Object({
          at: Timestamp("When the thread was closed."),
          byUserId: NullableUuid("The member who closed the thread. Null if they were deleted."),
          byName: Type.String({ description: "Their name at the time." }),
        }),
        Type.Null(),
      ],
      { description: "The side that closed the thread, and when. Null while it is open." },
    ),
    createdAt: Timestamp("When the report was accepted."),
  },
  { description: "A thread with a reporter." },
);
export type ThreadSummary = Type.Static<typeof ThreadSummary>;

/** A filter of threads. */
export const ThreadFilter = Type.Object({
  state: Type.Optional(
    Type.Enum(["open", "closed", "waiting", "unread"], {
      description:
        "Only threads in this state. Defaults to open and closed. `waiting`: open threads whose last message is from the reporter. " +
        "`unread`: the waiting threads that you have not read.",
    }),
  ),
  appId: Type.Optional(Uuid("Only threads of this app.")),
  eventId: Type.Optional(Uuid("Only the thread of this event, even without messages.")),
  cursor: Type.Optional(Text({ maxLength: 200, description: "The `nextCursor` of the previous page." })),
});
export type ThreadFilter = Type.Static<typeof ThreadFilter>;

/** A page of the threads with messages, of every app of the organisation. */
export const ThreadPage = Type.Object(
  {
    threads: Type.Array(ThreadSummary, { description: "Latest message first, at most 100." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "A page of the organisation's threads." },
);
export type ThreadPage = Type.Static<typeof ThreadPage>;

/** The number of open threads to read and to answer. */
export const ThreadCounts = Type.Object(
  {
    unreadCount: Type.Integer({
      description:
        "The number of threads with messages that you have not read and nobody has answered, counted up to 1,000.",
    }),
    waitingCount: Type.Integer({
      description: "The number of threads whose last message is from the reporter, counted up to 1,000.",
    }),
  },
  { description: "The number of unread and of waiting threads." },
);
export type ThreadCounts = Type.Static<typeof ThreadCounts>;

/** The last message that a member has read in a thread. */
export const MarkThreadRead = Type.Object(
  { number: Type.Integer({ minimum: 1, description: "The number of the last message that you have read." }) },
  { additionalProperties: false, description: "The last message of the thread that you have read." },
);
export type MarkThreadRead = Type.Static<typeof MarkThreadRead>;

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
  staleAfter: ["reply.received", "thread.changed", "thread.read"],
});

export const countThreads = dashboard({
  id: "countThreads",
  method: "GET",
  path: "/api/dashboard/threads/counts",
  role: "member",
  answers: { 200: ThreadCounts },
  errors: [],
  summary: "Count the unread and waiting threads",
  staleAfter: ["reply.received", "thread.changed", "thread.read"],
});

export const getThread = dashboard({
  id: "getThread",
  method: "GET",
  path: "/api/dashboard/threads/{threadId}",
  role: "member",
  params: threadPath,
  answers: { 200: ThreadSummary },
  errors: ["thread_not_found"],
  summary: "Get a thread",
  staleAfter: ["reply.received", "thread.changed", "thread.read"],
});

export const markThreadRead = dashboard({
  id: "markThreadRead",
  method: "POST",
  path: "/api/dashboard/threads/{threadId}/read",
  role: "member",
  params: threadPath,
  body: MarkThreadRead,
  answers: noContent,
  errors: ["thread_not_found"],
  summary: "Mark a thread as read",
  description: "Marks the messages up to a number as read. Never marks messages as unread.",
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
  summary: "List the messages of a thread",
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
  summary: "Reply to a reporter",
});

export const closeThread = dashboard({
  id: "closeThread",
  method: "POST",
  path: "/api/dashboard/threads/{threadId}/close",
  role: "member",
  params: threadPath,
  answers: { 200: ThreadSummary },
  errors: ["thread_not_found"],
  summary: "Close a thread permanently",
  description: "Closing a closed thread changes nothing.",
});
