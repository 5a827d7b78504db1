import Type from "typebox";
import { messageLengthMax } from "./limits.ts";
import { operation } from "./operation.ts";
import { Text, Timestamp, Uuid, WholeNumber } from "./text.ts";

/** Most messages, or threads, in one answer. */
export const repliesPageMax = 100;

/** Requests a minute with the token of one thread, and with that of one device. */
export const repliesRatePerMinute = 60;

/** Part of the receipt of a report whose app has replies on: what opens the conversation on it (interface section 2.5). */
export const ThreadAccess = Type.Object(
  {
    id: Type.String({ description: "The thread." }),
    token: Type.String({ description: "Bearer token that opens this thread and nothing else." }),
    url: Type.String({ description: "Where its messages are read with GET and posted with POST." }),
  },
  { description: "The conversation on this report. For a duplicate, the original's." },
);
export type ThreadAccess = Type.Static<typeof ThreadAccess>;

/** The same of the install that sent the report or, where it names none, of this report alone. */
export const DeviceAccess = Type.Object(
  {
    id: Type.String({ description: "The device." }),
    token: Type.String({ description: "Bearer token that lists which of its threads have news, and nothing else." }),
  },
  { description: "The install that sent the report; without an installId, this report alone." },
);
export type DeviceAccess = Type.Static<typeof DeviceAccess>;

/** A message of a thread. */
export const Message = Type.Object(
  {
    number: Type.Integer({ description: "Its place in the thread, from 1 without gaps." }),
    author: Type.Enum(["reporter", "team"], { description: "Which side wrote it." }),
    authorName: Type.Union([Type.String(), Type.Null()], {
      description: "The name of the member who wrote it, as it was then; null for the reporter.",
    }),
    text: Type.String({ description: "Plain text." }),
    createdAt: Timestamp("When it was posted."),
  },
  { description: "A message." },
);
export type Message = Type.Static<typeof Message>;

/** Body that posts a message, of either side. */
export const PostMessage = Type.Object(
  {
    text: Text({ minLength: 1, maxLength: messageLengthMax, description: "Plain text." }),
    messageId: Type.Optional(
      Uuid("Of the sender's choice. A message of this side with this id is answered, not posted again."),
    ),
  },
  { additionalProperties: false, description: "A message to post." },
);
export type PostMessage = Type.Static<typeof PostMessage>;

/** Query of both sides' way to read a thread. */
export const MessageFilter = Type.Object({
  after: Type.Optional(WholeNumber("The number of the last message that one has.")),
});

/** Answer of `GET /api/threads/{id}/messages`. */
export const MessagePage = Type.Object(
  {
    threadId: Uuid("The thread."),
    closed: Type.Boolean({ description: "Whether it is closed: then it can be read only." }),
    messages: Type.Array(Message, { description: `The oldest first, at most ${repliesPageMax}.` }),
    more: Type.Boolean({ description: "Whether there are more: ask again with `after` the last number." }),
  },
  { description: "Messages of a thread." },
);
export type MessagePage = Type.Static<typeof MessagePage>;

/** Answer of `GET /api/devices/{id}/threads`. */
export const DeviceThreads = Type.Object(
  {
    threads: Type.Array(
      Type.Object({
        id: Uuid("The thread; its token was in the receipt of its report."),
        url: Type.String({ description: "Where its messages are." }),
        closed: Type.Boolean({ description: "Whether it is closed." }),
        unread: Type.Integer({ description: "Messages from the team that the reporter has not confirmed to have." }),
        lastMessageAt: Timestamp("When the latest message was posted."),
      }),
      { description: `Those with news, the latest first, at most ${repliesPageMax}.` },
    ),
  },
  { description: "What has news for a device." },
);
export type DeviceThreads = Type.Static<typeof DeviceThreads>;

// A path that is no UUID has no token that fits, so it is refused as any other thread of somebody else's.
const threadPath = Type.Object({ threadId: Type.String({ description: "The thread, of a receipt." }) });

/** `GET /api/threads/{id}/messages`, with the token of the thread. */
export const listMessages = operation({
  id: "listMessages",
  method: "GET",
  path: "/api/threads/{threadId}/messages",
  door: "ingest",
  credential: { kind: "threadToken" },
  params: threadPath,
  query: MessageFilter,
  answers: { 200: MessagePage },
  errors: ["thread_not_found"],
  summary: "Read the messages of a thread",
  description: "Asking for what comes after a message confirms that the reporter has it: it is no longer news.",
});

/** `POST /api/threads/{id}/messages`, with the token of the thread. */
export const postMessage = operation({
  id: "postMessage",
  method: "POST",
  path: "/api/threads/{threadId}/messages",
  door: "ingest",
  credential: { kind: "threadToken" },
  params: threadPath,
  body: PostMessage,
  answers: { 201: Message },
  errors: ["thread_not_found", "thread_closed"],
  summary: "Answer as the reporter",
});

/** `GET /api/devices/{id}/threads`, with the token of the device. */
export const listDeviceThreads = operation({
  id: "listDeviceThreads",
  method: "GET",
  path: "/api/devices/{deviceId}/threads",
  door: "ingest",
  credential: { kind: "deviceToken" },
  params: Type.Object({ deviceId: Type.String({ description: "The device, of a receipt." }) }),
  answers: { 200: DeviceThreads },
  errors: [],
  summary: "List which threads of a device have news",
});
