import Type from "typebox";
import { addressLengthMax } from "../limits.ts";
import { NullableTimestamp, NullableUuid, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: what a member is to be told of tickets. Each sees his own, in the organisation he works on. */

const closed = { additionalProperties: false } as const;

/** What a member is told of. */
export const noticeKinds = [
  "mentioned",
  "assigned",
  "commented",
  "run_finished",
  "run_asked",
  "run_held",
  "subscriber_disabled",
  "delivery_dead",
  "quota_warning",
  "organisation_suspended",
  "disk_low",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Something that a member is to be told. */
export const Notice = Type.Object(
  {
    id: Uuid("The notice."),
    kind: Type.Enum([...noticeKinds], {
      description:
        "He was mentioned, the ticket became his, one that he follows was commented on; the agent's run of one came to its end, asks or waits; or, for admins, what the organisation must be told.",
    }),
    ticket: Type.Union(
      [
        Type.Object({
          id: Uuid("The ticket."),
          number: Type.Union([Type.String(), Type.Null()], { description: "What people call it, as WEB-214." }),
          title: Type.String({ description: "What its card says now." }),
        }),
        Type.Null(),
      ],
      { description: "What it is about; null where that is no ticket." },
    ),
    appId: NullableUuid("The app that it is about; null where it is about none."),
    actor: Type.String({ description: "The name, as it was then, of who did it." }),
    text: Type.Union([Type.String(), Type.Null()], {
      description:
        "How the comment begins, at most 300 characters, or what is to be told; null without one, or where it is deleted.",
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
    ticketId: Type.Optional(Uuid("Only those of this ticket.")),
    read: Type.Optional(Type.Boolean({ description: "False to make them unread again; default true." })),
  },
  { ...closed, description: "Which notices have been read." },
);
export type ReadNotices = Type.Static<typeof ReadNotices>;

/** How many are unread. */
export const UnreadCount = Type.Object({ unreadCount }, { description: "How many notices are unread." });
export type UnreadCount = Type.Static<typeof UnreadCount>;

const Kinds = (description: string) =>
  Type.Array(Type.Enum([...noticeKinds]), { maxItems: noticeKinds.length, description });
const choices = {
  mail: Kinds("Which kinds are sent by e-mail."),
  slack: Kinds("Which kinds are posted to Slack."),
};
const slackUrlText = "The Slack incoming webhook that they are posted to: http or https.";

/** What a member is sent of his notices, a minute after they came and unless he has read them by then. */
export const NoticeChoices = Type.Object(
  {
    ...choices,
    slackUrl: Type.Union([Type.String(), Type.Null()], { description: slackUrlText }),
    sendsMail: Type.Boolean({ description: "Whether this Lodge sends e-mail at all." }),
  },
  {
    description:
      "What a member is sent of his notices; an admin what the organisation must be told, the rest once it is chosen.",
  },
);
export type NoticeChoices = Type.Static<typeof NoticeChoices>;

/** What to change of that: what is left out stays. */
export const ChangeNoticeChoices = Type.Partial(
  Type.Object({
    ...choices,
    slackUrl: Type.Union([Text({ minLength: 1, maxLength: addressLengthMax, description: slackUrlText }), Type.Null()]),
  }),
  { ...closed, minProperties: 1, description: "What to send of the member's notices." },
);
export type ChangeNoticeChoices = Type.Static<typeof ChangeNoticeChoices>;

export const listNotices = dashboard({
  id: "listNotices",
  method: "GET",
  path: "/api/dashboard/notices",
  role: "member",
  query: NoticeQuery,
  answers: { 200: NoticePage },
  errors: [],
  summary: "List what the member is to be told",
  staleAfter: ["notices.changed", "board.changed"],
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

export const countNotices = dashboard({
  id: "countNotices",
  method: "GET",
  path: "/api/dashboard/notices/count",
  role: "member",
  answers: { 200: UnreadCount },
  errors: [],
  summary: "Count what the member has not read",
  staleAfter: ["notices.changed"],
});

export const getNoticeChoices = dashboard({
  id: "getNoticeChoices",
  method: "GET",
  path: "/api/dashboard/notices/choices",
  role: "member",
  answers: { 200: NoticeChoices },
  errors: [],
  summary: "Say what the member is sent of his notices",
});

export const changeNoticeChoices = dashboard({
  id: "changeNoticeChoices",
  method: "PATCH",
  path: "/api/dashboard/notices/choices",
  role: "member",
  body: ChangeNoticeChoices,
  answers: { 200: NoticeChoices },
  errors: [],
  summary: "Choose what to be sent of one's notices",
  description: "By e-mail or to Slack, a minute after they came, in one message, unless they were read by then.",
});
