import Type from "typebox";
import { NullableTimestamp, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: what a member is to be told of tickets. Each sees his own, in the organisation he works on. */

const closed = { additionalProperties: false } as const;

/** Something that a member is to be told. */
export const Notice = Type.Object(
  {
    id: Uuid("The notice."),
    kind: Type.Enum(["mentioned", "assigned", "commented"], {
      description: "He was mentioned, the ticket became his, or one that he follows was commented on.",
    }),
    ticket: Type.Object({
      id: Uuid("The ticket."),
      number: Type.Union([Type.String(), Type.Null()], { description: "What people call it, as WEB-214." }),
      title: Type.String({ description: "What its card says now." }),
    }),
    actor: Type.String({ description: "The name, as it was then, of who did it." }),
    text: Type.Union([Type.String(), Type.Null()], {
      description: "How the comment begins, at most 300 characters; null without one, or where it is deleted.",
    }),
    createdAt: Timestamp("When it happened."),
    readAt: NullableTimestamp("When he has read it; null while he has not."),
  },
  { description: "What a member is to be told. It is kept for 90 days." },
);
export type Notice = Type.Static<typeof Notice>;

/** Which notices. */
export const NoticeQuery = Type.Object(
  {
    cursor: Type.Optional(Uuid("A `nextCursor` of an earlier answer.")),
    unread: Type.Optional(Type.Enum(["only"], { description: "Leaves out what has been read." })),
  },
  closed,
);
export type NoticeQuery = Type.Static<typeof NoticeQuery>;

const unreadCount = Type.Integer({ description: "How many of all his notices are unread." });

/** A page of notices. */
export const NoticePage = Type.Object(
  {
    notices: Type.Array(Notice, { description: "The newest first, at most 50." }),
    unreadCount,
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: "What to send as `cursor` for those before." }),
  },
  { description: "What a member is to be told." },
);
export type NoticePage = Type.Static<typeof NoticePage>;

/** Which notices have been read. */
export const ReadNotices = Type.Object(
  {
    noticeIds: Type.Optional(
      Type.Array(Uuid("A notice."), {
        minItems: 1,
        maxItems: 100,
        description: "Which ones; all where it is left out.",
      }),
    ),
    read: Type.Optional(Type.Boolean({ description: "False to make them unread again; default true." })),
  },
  { ...closed, description: "Which notices have been read." },
);
export type ReadNotices = Type.Static<typeof ReadNotices>;

/** How many are unread. */
export const UnreadCount = Type.Object({ unreadCount }, { description: "How many notices are unread." });
export type UnreadCount = Type.Static<typeof UnreadCount>;

export const listNotices = dashboard({
  id: "listNotices",
  method: "GET",
  path: "/api/dashboard/notices",
  role: "member",
  query: NoticeQuery,
  answers: { 200: NoticePage },
  errors: [],
  summary: "List what the member is to be told",
  staleAfter: ["notices.changed"],
});

export const readNotices = dashboard({
  id: "readNotices",
  method: "POST",
  path: "/api/dashboard/notices/read",
  role: "member",
  body: ReadNotices,
  answers: { 200: UnreadCount },
  errors: [],
  summary: "Note which notices have been read",
});
