import Type from "typebox";
import { noContent, pathId } from "../operation.ts";
import { Message, MessageFilter, MessagePage, PostMessage } from "../replies.ts";
import { NullableText, NullableUuid, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: threads with reporters. All of it is for every role. */

/** A thread as lists show it. */
export const ThreadSummary = Type.Object(
  {
    id: Uuid("The thread."),
    eventId: Uuid("The event that it is about."),
    app: Type.Object({ id: Uuid("The app."), name: Type.String({ description: "Its name." }) }),
    title: Type.String({ description: "The title of its event; empty until that is in the inbox of its app." }),
    message: Type.String({
      description: "The start of what the reporter wrote with the report, at most 300 characters.",
    }),
    reporter: NullableText("The reporter's name, e-mail address or id, whichever comes first."),
    messageCount: Type.Integer({ description: "How many messages it has; the number of the last one." }),
    lastMessageAt: Type.Unsafe<string | null>({
      type: ["string", "null"],
      format: "date-time",
      description: "When the last one was posted; null where there is none.",
    }),
    lastMessage: Type.Union(
      [
        Type.Object({
          author: Type.Enum(["reporter", "team"]),
          authorName: NullableText("The member who wrote it; null for the reporter."),
          text: Type.String({ description: "Its start, at most 200 characters." }),
        }),
        Type.Null(),
      ],
      { description: "The last message." },
    ),
    unreadCount: Type.Integer({
      description:
        "Messages of the reporter's since the team's last answer that the member who asks has not read; 0 once it is closed.",
    }),
    reporterReadNumber: Type.Integer({
      description: "The number of the last message that the reporter has confirmed to have; 0 for none.",
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
  state: Type.Optional(
    Type.Enum(["open", "closed", "waiting", "unread"], {
      description:
        "Default: open and closed. Of the open ones, `waiting` are those in which the reporter wrote last, and `unread` those " +
        "of them that the member who asks has not read.",
    }),
  ),
  appId: Type.Optional(Uuid("Only the threads of this app.")),
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

/** How many open threads there are to read and to answer. */
export const ThreadCounts = Type.Object(
  {
    unreadCount: Type.Integer({
      description:
        "Those with messages that the member who asks has not read and nobody has answered, counted up to 1,000.",
    }),
    waitingCount: Type.Integer({ description: "Those in which the reporter wrote last, counted up to 1,000." }),
  },
  { description: "What waits for the member, and for the team." },
);
export type ThreadCounts = Type.Static<typeof ThreadCounts>;

/** How far a member has read. */
export const MarkThreadRead = Type.Object(
  { number: Type.Integer({ minimum: 1, description: "The number of the last message that was read." }) },
  { additionalProperties: false, description: "How far a thread is read." },
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
  summary: "Count the threads that wait",
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
  summary: "Show a thread",
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
  summary: "Say how far one has read a thread",
  description: "Never less far than before.",
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
