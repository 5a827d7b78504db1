import Type from "typebox";
import { NullableTimestamp, NullableUuid, Timestamp, Uuid, WebAddress } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for notifications. Members only see their own, in the session's organisation. */

const closed = { additionalProperties: false } as const;

/** The kinds of notifications. */
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
  "problem_new",
  "problem_back",
  "problem_spike",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** A notification to a member. */
export const Notice = Type.Object(
  {
    id: Uuid("The notification."),
    kind: Type.Enum([...noticeKinds], {
      description:
        "The kind: a mention, an assignment, a comment on a ticket that you follow, or news of the agent's run on it. Also a problem that is new, has reopened or occurs often, and, for admins, an alert of the organisation.",
    }),
    ticket: Type.Union(
      [
        Type.Object({
          id: Uuid("The ticket."),
          number: Type.Union([Type.String(), Type.Null()], { description: "The ticket's number, like WEB-214." }),
          title: Type.String({ description: "The current title of the ticket." }),
        }),
        Type.Null(),
      ],
      { description: "The ticket of the notification. Null if it is not about a ticket." },
    ),
    appId: NullableUuid("The app of the notification. Null if it is not about an app."),
    problemId: NullableUuid(
      "The problem of the notification. Null if it is not about a problem, or the problem was deleted.",
    ),
    actor: Type.String({ description: "The name of the actor at the time." }),
    text: Type.Union([Type.String(), Type.Null()], {
      description:
        "The beginning of the comment, at most 300 characters, or the text of the alert. Null if there is none or it was deleted.",
    }),
    createdAt: Timestamp("When it happened."),
    readAt: NullableTimestamp("When you read the notification. Null if you have not."),
  },
  { description: "A notification to a member. Kept for 90 days." },
);
export type Notice = Type.Static<typeof Notice>;

/** A filter of notifications. */
export const NoticeQuery = Type.Object(
  {
    cursor: Type.Optional(Uuid("A `nextCursor` from an earlier response.")),
    unread: Type.Optional(Type.Enum(["only"], { description: "Leaves out read notifications." })),
  },
  closed,
);
export type NoticeQuery = Type.Static<typeof NoticeQuery>;

const unreadCount = Type.Integer({ description: "The number of unread notifications on all pages." });

/** A page of notifications. */
export const NoticePage = Type.Object(
  {
    notices: Type.Array(Notice, { description: "Newest first, at most 50." }),
    unreadCount,
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "A page of notifications." },
);
export type NoticePage = Type.Static<typeof NoticePage>;

/** The notifications to mark as read or unread. */
export const ReadNotices = Type.Object(
  {
    noticeIds: Type.Optional(
      Type.Array(Uuid("A notification."), {
        minItems: 1,
        maxItems: 100,
        description: "The notifications. Defaults to all.",
      }),
    ),
    ticketId: Type.Optional(Uuid("Only notifications about this ticket.")),
    read: Type.Optional(Type.Boolean({ description: "False marks them as unread. Defaults to true." })),
  },
  { ...closed, description: "The notifications to mark as read or unread." },
);
export type ReadNotices = Type.Static<typeof ReadNotices>;

/** The number of unread notifications. */
export const UnreadCount = Type.Object({ unreadCount }, { description: "The number of unread notifications." });
export type UnreadCount = Type.Static<typeof UnreadCount>;

const Kinds = (description: string) =>
  Type.Array(Type.Enum([...noticeKinds]), { maxItems: noticeKinds.length, description });
const choices = {
  mail: Kinds("The kinds of notifications to send by e-mail."),
  slack: Kinds("The kinds of notifications to post to Slack."),
};
const slackUrlText = "The URL of the Slack incoming webhook: http or https.";

/** The notifications to send outside the dashboard, if they are still unread after a minute. */
export const NoticeChoices = Type.Object(
  {
    ...choices,
    slackUrl: Type.Union([Type.String(), Type.Null()], { description: slackUrlText }),
    sendsMail: Type.Boolean({ description: "Whether this Lodge sends e-mail." }),
  },
  {
    description:
      "The kinds of notifications to send outside the dashboard. By default, admins get the organisation's alerts, and nothing else is sent.",
  },
);
export type NoticeChoices = Type.Static<typeof NoticeChoices>;

/** The changes to the settings. Omitted settings stay as they are. */
export const ChangeNoticeChoices = Type.Partial(
  Type.Object({
    ...choices,
    slackUrl: Type.Union([WebAddress(slackUrlText), Type.Null()]),
  }),
  { ...closed, minProperties: 1, description: "The settings to change. Omitted settings stay as they are." },
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
  summary: "List your notifications",
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
  summary: "Mark notifications as read or unread",
});

export const countNotices = dashboard({
  id: "countNotices",
  method: "GET",
  path: "/api/dashboard/notices/count",
  role: "member",
  answers: { 200: UnreadCount },
  errors: [],
  summary: "Count your unread notifications",
  staleAfter: ["notices.changed"],
});

export const getNoticeChoices = dashboard({
  id: "getNoticeChoices",
  method: "GET",
  path: "/api/dashboard/notices/choices",
  role: "member",
  answers: { 200: NoticeChoices },
  errors: [],
  summary: "Get your notification settings",
});

export const changeNoticeChoices = dashboard({
  id: "changeNoticeChoices",
  method: "PATCH",
  path: "/api/dashboard/notices/choices",
  role: "member",
  body: ChangeNoticeChoices,
  answers: { 200: NoticeChoices },
  errors: [],
  summary: "Update your notification settings",
  description: "Notifications that are still unread after a minute are sent by e-mail or to Slack, in one message.",
});
