import Type from "typebox";
import { messageLengthMax } from "./limits.ts";
import { operation } from "./operation.ts";
import { Text, Timestamp, Uuid, WholeNumber } from "./text.ts";

/** The maximum number of messages or threads in one response. */
export const repliesPageMax = 100;

/** Requests per minute with the token of one thread, and of one device. */
export const repliesRatePerMinute = 60;

/** The thread in the receipt of a report, if the app has replies on (interface section 2.5). */
export const ThreadAccess = Type.Object(
  {
    id: Type.String({ description: "The thread." }),
    token: Type.String({ description: "The bearer token of this thread. Gives access to nothing else." }),
    url: Type.String({ description: "The URL of its messages: GET lists them, POST adds one." }),
  },
  { description: "The thread of this report. For a duplicate, the thread of the original." },
);
export type ThreadAccess = Type.Static<typeof ThreadAccess>;

/** The device in the receipt: stands for the install that sent the report or, if it has no `installId`, for this report alone. */
export const DeviceAccess = Type.Object(
  {
    id: Type.String({
      description:
        "The id of the device: it stands for the install that sent the report or, if the report has no `installId`, for this report alone.",
    }),
    token: Type.String({
      description: "The bearer token of this device. It only allows listing the device's threads with new messages.",
    }),
  },
  {
    description:
      "Access to the threads of the install that sent the report. If the report has no `installId`, access to its own thread only.",
  },
);
export type DeviceAccess = Type.Static<typeof DeviceAccess>;

/** A message of a thread. */
export const Message = Type.Object(
  {
    number: Type.Integer({ description: "The number in the thread, from 1 without gaps." }),
    author: Type.Enum(["reporter", "team"], { description: "The side that wrote the message." }),
    authorName: Type.Union([Type.String(), Type.Null()], {
      description: "The author's name at the time. Null for the reporter.",
    }),
    text: Type.String({ description: "The text, in plain text." }),
    createdAt: Timestamp("When the message was posted."),
  },
  { description: "A message." },
);
export type Message = Type.Static<typeof Message>;

/** The body to post a message, for the team and the reporter. */
export const PostMessage = Type.Object(
  {
    text: Text({ minLength: 1, maxLength: messageLengthMax, description: "The text, in plain text." }),
    messageId: Type.Optional(
      Uuid("An id that the sender chooses. A retry with the same id does not post the message again."),
    ),
  },
  { additionalProperties: false, description: "The message to post." },
);
export type PostMessage = Type.Static<typeof PostMessage>;

/** The query of both operations that read a thread. */
export const MessageFilter = Type.Object({
  after: Type.Optional(WholeNumber("Only messages after this number.")),
});

/** The response of `GET /api/threads/{id}/messages`. */
export const MessagePage = Type.Object(
  {
    threadId: Uuid("The thread."),
    closed: Type.Boolean({ description: "Whether the thread is closed. A closed thread can only be read." }),
    messages: Type.Array(Message, { description: `Oldest first, at most ${repliesPageMax}.` }),
    more: Type.Boolean({
      description: "Whether there are more messages. Request them with the last number as `after`.",
    }),
  },
  { description: "Messages of a thread." },
);
export type MessagePage = Type.Static<typeof MessagePage>;

/** The response of `GET /api/devices/{id}/threads`. */
export const DeviceThreads = Type.Object(
  {
    threads: Type.Array(
      Type.Object({
        id: Uuid("The thread. Its token was in the receipt of its report."),
        url: Type.String({ description: "The URL of its messages." }),
        closed: Type.Boolean({ description: "Whether the thread is closed." }),
        unread: Type.Integer({
          description: "The number of messages from the team that the reporter has not received yet.",
        }),
        lastMessageAt: Timestamp("When the latest message was posted."),
      }),
      {
        description: `The threads with messages that the reporter has not received yet, latest first, at most ${repliesPageMax}.`,
      },
    ),
  },
  { description: "The threads of a device that have new messages." },
);
export type DeviceThreads = Type.Static<typeof DeviceThreads>;

// An id that is not a UUID has no matching token, so it gets the same response as somebody else's thread.
const threadPath = Type.Object({ threadId: Type.String({ description: "The id of the thread, from a receipt." }) });

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
  summary: "List the messages of a thread",
  description: "Requesting the messages after a number confirms that the reporter has received all up to that number.",
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
  summary: "Reply as the reporter",
});

/** `GET /api/devices/{id}/threads`, with the token of the device. */
export const listDeviceThreads = operation({
  id: "listDeviceThreads",
  method: "GET",
  path: "/api/devices/{deviceId}/threads",
  door: "ingest",
  credential: { kind: "deviceToken" },
  params: Type.Object({
    deviceId: Type.String({
      description:
        "The id of the device, from a receipt. The device stands for the install that sent the report or, if the report has no `installId`, for this report alone.",
    }),
  }),
  answers: { 200: DeviceThreads },
  errors: [],
  summary: "List the threads of a device that have new messages",
});
