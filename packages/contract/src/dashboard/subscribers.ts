import Type from "typebox";
import { reportKinds } from "../envelope.ts";
import { addressLengthMax, facetLengthMax, filterValuesMax, perMinuteMax } from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { NullableText, NullableTimestamp, NullableUuid, SigningSecret, Text, Timestamp, Uuid } from "../text.ts";
import { subscriberKinds } from "../world.ts";
import { Delivery, DeliveryAttempt, deliveryStates } from "./deliveries.ts";
import { AppSummary } from "./inbox.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: who is told of an app's events (contract section 4). All of it is for owners and admins. */

const closed = { additionalProperties: false } as const;
const cursor = Type.Optional(Uuid("The `nextCursor` of the page before."));
const nextCursor = NullableText("What to send as `cursor` for those after; null where there are none.");
const Address = Text({
  minLength: 1,
  maxLength: addressLengthMax,
  description:
    "Where messages go: an http:// or https:// address without a user name; mailto: and an address for e-mail; that of the repository for GitHub issues.",
});

const values = (description: string) =>
  Type.Optional(
    Type.Array(Text({ minLength: 1, maxLength: facetLengthMax, description: "A value." }), {
      minItems: 1,
      maxItems: filterValuesMax,
      description,
    }),
  );

/** Which reports a subscriber is told of: those that all that is given lets through. */
export const SubscriberFilter = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(Type.Enum([...reportKinds]), {
        minItems: 1,
        maxItems: reportKinds.length,
        description: "Of these kinds.",
      }),
    ),
    environments: values("Of these environments of the app."),
    versions: values("Of these versions of the app; where a report names none, its release."),
    tags: values("With one of these tags, as `name=value`, among the report's first 20."),
    errorTypes: values("With an error of one of these types."),
    newProblemsOnly: Type.Optional(
      Type.Boolean({
        description:
          "Only the first report of each problem. One that belongs to no problem, feedback say, stands for itself: `kinds` can leave it out.",
      }),
    ),
  },
  { ...closed, description: "Which reports a subscriber is told of, decided when they are accepted." },
);
export type SubscriberFilter = Type.Static<typeof SubscriberFilter>;

const NullableFilter = Type.Union([SubscriberFilter, Type.Null()], { description: "null for all reports." });

const NullablePerMinute = Type.Unsafe<number | null>({
  type: ["integer", "null"],
  minimum: 1,
  maximum: perMinuteMax,
  description: "Most attempts in a minute, spread over it by the second; null for as many as it bears.",
});

const subscriberFields = {
  id: Uuid("The subscriber."),
  app: AppSummary,
  kind: Type.Enum([...subscriberKinds]),
  url: NullableText("Where messages go; null for a board."),
  boardId: NullableUuid("The board that cards are filed on; null for any other kind."),
  boardName: NullableText("Its name."),
  columnId: NullableUuid("The column that they are filed on; null for the leftmost."),
  filter: NullableFilter,
  perMinute: NullablePerMinute,
  ordered: Type.Boolean({
    description:
      "Whether it is told of one event after the other, in the order in which they were accepted: one that fails is tried until it is delivered or skipped, and holds up those behind it.",
  }),
  enabled: Type.Boolean({ description: "Whether it is told of events." }),
  disabledAt: NullableTimestamp("Since when it is not: what came since then can be replayed once it is enabled."),
  disabledReason: NullableText("Why it is not."),
  failingSince: NullableTimestamp("The first failure since the last success; null where the last attempt succeeded."),
  pausedUntil: NullableTimestamp("Until when nothing is attempted at it; null where it is not left alone."),
  createdAt: Timestamp("When it was made."),
  waitingCount: Type.Integer({ description: "Deliveries that wait for an attempt, counted up to 1,000." }),
  deadCount: Type.Integer({ description: "Deliveries that were given up, counted up to 1,000." }),
  deliveredCount: Type.Integer({ description: "Attempts of the last 24 hours that succeeded." }),
  failedCount: Type.Integer({ description: "Attempts of the last 24 hours that failed." }),
} as const;

/** Who is told of the events of an app. */
export const Subscriber = Type.Object(subscriberFields, { description: "Who is told of the events of an app." });
export type Subscriber = Type.Static<typeof Subscriber>;

/** The subscribers of the organisation, and the apps that can have some. */
export const SubscriberList = Type.Object(
  {
    subscribers: Type.Array(Subscriber, { description: "By app, the oldest first, at most 500." }),
    apps: Type.Array(AppSummary, { description: "By name, at most 500." }),
  },
  { description: "The subscribers of the organisation." },
);
export type SubscriberList = Type.Static<typeof SubscriberList>;

/** Events of a stretch of time on their way to a subscriber. */
export const Replay = Type.Object(
  {
    id: Uuid("The replay; webhooks are told it in the header `lodge-replay`."),
    state: Type.Enum(["running", "done", "cancelled"]),
    from: Timestamp("Events that were received at this time or later."),
    until: Timestamp("And before this time."),
    again: Type.Boolean({ description: "Whether what it had received is sent once more." }),
    eventCount: Type.Integer({ description: "How many there were to send when it began." }),
    sentCount: Type.Integer({ description: "How many are on their way or delivered." }),
    startedBy: Type.String({ description: "The name of who began it." }),
    startedAt: Timestamp("When."),
    endedAt: NullableTimestamp("When it came to its end."),
    endedBy: NullableText("The name of who cancelled it, or why it ended early."),
  },
  { description: "Events of a stretch of time on their way to a subscriber." },
);
export type Replay = Type.Static<typeof Replay>;

/** A replay to begin. */
export const StartReplay = Type.Object(
  {
    from: Timestamp("Events that were received at this time or later."),
    until: Timestamp("And before this time."),
    again: Type.Optional(
      Type.Boolean({ description: "Whether to send once more what it has received; default false." }),
    ),
  },
  { ...closed, description: "A stretch of time." },
);
export type StartReplay = Type.Static<typeof StartReplay>;

/** A replay to count. */
export const ReplayQuery = Type.Object(
  {
    from: Type.Optional(Timestamp("Events that were received at this time or later; default a day before the end.")),
    until: Type.Optional(Timestamp("And before this time; default now.")),
    again: Type.Optional(Type.Literal("true", { description: "What it has received, too." })),
  },
  closed,
);
export type ReplayQuery = Type.Static<typeof ReplayQuery>;

/** A subscriber with all that its page shows. */
export const SubscriberDetails = Type.Object(
  {
    ...subscriberFields,
    secrets: Type.Array(
      Type.Object({
        id: Uuid("The secret."),
        createdAt: Timestamp("When it was made."),
        expiresAt: NullableTimestamp("Until when it signs beside the newer one; null for the newest."),
      }),
      {
        description:
          "What its messages are signed with, the newest first, or the token of GitHub's; none of any other kind.",
      },
    ),
    health: Type.Array(
      Type.Object({
        day: Type.String({ description: "YYYY-MM-DD (UTC)." }),
        deliveredCount: Type.Integer({ description: "Attempts that succeeded." }),
        failedCount: Type.Integer({ description: "Attempts that failed." }),
        meanMs: Type.Unsafe<number | null>({
          type: ["integer", "null"],
          description: "How long an attempt took on average; null where there was none.",
        }),
      }),
      { description: "The last 14 days without gaps, the oldest first." },
    ),
    replays: Type.Array(Replay, { description: "The latest first, at most 10." }),
  },
  { description: "A subscriber." },
);
export type SubscriberDetails = Type.Static<typeof SubscriberDetails>;

const Token = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[!-~]+$",
  description: "What GitHub issues are made with: a token that may read and write issues of the repository.",
});

/** A subscriber to be made: a board has a columnId, any other kind a url. */
export const CreateSubscriber = Type.Object(
  {
    kind: Type.Enum([...subscriberKinds]),
    url: Type.Optional(Address),
    columnId: Type.Optional(Uuid("The column of a board that cards are filed on.")),
    secret: Type.Optional(
      SigningSecret(
        "What a webhook's messages are to be signed with, so that its receiver can be set up before; default a new one.",
      ),
    ),
    token: Type.Optional(Token),
    filter: Type.Optional(NullableFilter),
    perMinute: Type.Optional(NullablePerMinute),
    ordered: Type.Optional(Type.Boolean({ description: "Whether it is told of one event after the other." })),
  },
  { ...closed, description: "Who is to be told." },
);
export type CreateSubscriber = Type.Static<typeof CreateSubscriber>;

/** A subscriber that was just made. */
export const NewSubscriber = Type.Object(
  {
    subscriber: Subscriber,
    secret: NullableText("What a webhook's messages are signed with, shown this once; null for any other kind."),
  },
  { description: "A subscriber that was just made." },
);
export type NewSubscriber = Type.Static<typeof NewSubscriber>;

/** What to change of a subscriber. */
export const ChangeSubscriber = Type.Object(
  {
    url: Type.Optional(Address),
    columnId: Type.Optional(Uuid("The column of a board that cards are filed on.")),
    token: Type.Optional(Token),
    filter: Type.Optional(NullableFilter),
    perMinute: Type.Optional(NullablePerMinute),
    ordered: Type.Optional(Type.Boolean({ description: "Whether it is told of one event after the other." })),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          "false: it is told of nothing, and what waits for it is given up. true: it is told again, as if it had never failed.",
      }),
    ),
  },
  { ...closed, minProperties: 1, description: "What to change of a subscriber." },
);
export type ChangeSubscriber = Type.Static<typeof ChangeSubscriber>;

/** A message to try out. */
export const TestSubscriber = Type.Object(
  {
    kind: Type.Enum([...subscriberKinds]),
    url: Address,
    secret: Type.Optional(SigningSecret("What to sign a webhook's message with.")),
    token: Type.Optional(Token),
    subscriberId: Type.Optional(Uuid("Or the subscriber whose secrets sign it, or whose token is used.")),
  },
  { ...closed, description: "Where to send a message to try it out." },
);
export type TestSubscriber = Type.Static<typeof TestSubscriber>;

/** What came of a message that was tried out. */
export const TestOutcome = Type.Omit(DeliveryAttempt, ["number", "startedAt"], {
  description: "What came of a message that was tried out.",
});
export type TestOutcome = Type.Static<typeof TestOutcome>;

/** Which deliveries of a subscriber. */
export const DeliveryQuery = Type.Object(
  { state: Type.Optional(Type.Enum([...deliveryStates], { description: "Only those in this state." })), cursor },
  closed,
);
export type DeliveryQuery = Type.Static<typeof DeliveryQuery>;

/** A delivery, and the event that it tells of. */
export const ListedDelivery = Type.Intersect(
  [
    Delivery,
    Type.Object({
      event: Type.Object({
        id: Uuid("The event."),
        title: NullableText("Its title; null where it has not been read yet, or is no longer kept."),
        receivedAt: Timestamp("When it was accepted."),
      }),
    }),
  ],
  { description: "A delivery with its event." },
);
export type ListedDelivery = Type.Static<typeof ListedDelivery>;

/** A page of the deliveries of a subscriber. */
export const DeliveryPage = Type.Object(
  { deliveries: Type.Array(ListedDelivery, { description: "The latest first, at most 50." }), nextCursor },
  { description: "Deliveries to a subscriber." },
);
export type DeliveryPage = Type.Static<typeof DeliveryPage>;

const subscriberPath = pathId("subscriberId", "subscriber_not_found", "The subscriber.");
const appPath = pathIds({ appId: "The app." }, "app_not_found");
const staleAfter = ["subscribers.changed"] as const;

export const listSubscribers = dashboard({
  id: "listSubscribers",
  method: "GET",
  path: "/api/dashboard/subscribers",
  role: "admin",
  answers: { 200: SubscriberList },
  errors: [],
  summary: "List the subscribers",
  staleAfter,
});

export const getSubscriber = dashboard({
  id: "getSubscriber",
  method: "GET",
  path: "/api/dashboard/subscribers/{subscriberId}",
  role: "admin",
  params: subscriberPath,
  answers: { 200: SubscriberDetails },
  errors: ["subscriber_not_found"],
  summary: "Show a subscriber",
  staleAfter,
});

export const createSubscriber = dashboard({
  id: "createSubscriber",
  method: "POST",
  path: "/api/dashboard/apps/{appId}/subscribers",
  role: "admin",
  params: appPath,
  body: CreateSubscriber,
  answers: { 201: NewSubscriber },
  errors: ["app_not_found", "column_not_found", "subscriber_exists"],
  summary: "Make a subscriber",
});

export const changeSubscriber = dashboard({
  id: "changeSubscriber",
  method: "PATCH",
  path: "/api/dashboard/subscribers/{subscriberId}",
  role: "admin",
  params: subscriberPath,
  body: ChangeSubscriber,
  answers: { 200: Subscriber },
  errors: ["subscriber_not_found", "column_not_found", "subscriber_exists"],
  summary: "Change, pause or enable a subscriber",
});

export const rotateSubscriberSecret = dashboard({
  id: "rotateSubscriberSecret",
  method: "POST",
  path: "/api/dashboard/subscribers/{subscriberId}/secrets",
  role: "admin",
  params: subscriberPath,
  answers: { 201: Type.Object({ secret: Type.String({ description: "The new secret, shown this once." }) }) },
  errors: ["subscriber_not_found"],
  summary: "Give a webhook a new secret",
  description:
    "The one before signs as well for 24 hours; any older one ends at once. A subscriber that is no webhook has none, and is answered as one that does not exist.",
});

export const deleteSubscriber = dashboard({
  id: "deleteSubscriber",
  method: "DELETE",
  path: "/api/dashboard/subscribers/{subscriberId}",
  role: "admin",
  params: subscriberPath,
  answers: noContent,
  errors: ["subscriber_not_found"],
  summary: "Delete a subscriber",
  description:
    "It is told of nothing more, and its secrets go at once; its deliveries, attempts and replays afterwards. Events, and cards that a board was filed, stay.",
});

export const testSubscriber = dashboard({
  id: "testSubscriber",
  method: "POST",
  path: "/api/dashboard/apps/{appId}/subscribers/test",
  role: "admin",
  params: appPath,
  body: TestSubscriber,
  answers: { 200: TestOutcome },
  errors: ["app_not_found", "subscriber_not_found"],
  summary: "Try a message out before a subscriber is saved",
  description:
    "A message about a report that there is not: of the type `report.received`, its `reportId` is `lodge-test`. Nothing is kept of it. For kinds that are told by a message.",
});

export const listSubscriberDeliveries = dashboard({
  id: "listSubscriberDeliveries",
  method: "GET",
  path: "/api/dashboard/subscribers/{subscriberId}/deliveries",
  role: "admin",
  params: subscriberPath,
  query: DeliveryQuery,
  answers: { 200: DeliveryPage },
  errors: ["subscriber_not_found"],
  summary: "List the deliveries to a subscriber",
});

export const resendDeadDeliveries = dashboard({
  id: "resendDeadDeliveries",
  method: "POST",
  path: "/api/dashboard/subscribers/{subscriberId}/resend",
  role: "admin",
  params: subscriberPath,
  answers: {
    200: Type.Object({
      resentCount: Type.Integer({ description: "How many are sent again: 5,000 at most." }),
      more: Type.Boolean({ description: "Whether there are others that were given up: ask again." }),
    }),
  },
  errors: ["subscriber_not_found", "subscriber_disabled"],
  summary: "Send what was given up again",
});

export const countReplay = dashboard({
  id: "countReplay",
  method: "GET",
  path: "/api/dashboard/subscribers/{subscriberId}/replays/count",
  role: "admin",
  params: subscriberPath,
  query: ReplayQuery,
  answers: {
    200: Type.Object({
      eventCount: Type.Integer({ description: "How many events would be sent." }),
      seconds: Type.Integer({ description: "How long that takes at least." }),
    }),
  },
  errors: ["subscriber_not_found"],
  summary: "Count what a replay would send",
});

export const startReplay = dashboard({
  id: "startReplay",
  method: "POST",
  path: "/api/dashboard/subscribers/{subscriberId}/replays",
  role: "admin",
  params: subscriberPath,
  body: StartReplay,
  answers: { 201: Replay },
  errors: ["subscriber_not_found", "subscriber_disabled", "replay_running"],
  summary: "Send the events of a stretch of time to a subscriber",
  description:
    "Those that its filter lets through as it is now and that it has not received, events older than the subscriber included, at most 50 a second and never more than a second's worth ahead. A delivery that was given up is sent again under its id.",
});

export const cancelReplay = dashboard({
  id: "cancelReplay",
  method: "POST",
  path: "/api/dashboard/replays/{replayId}/cancel",
  role: "admin",
  params: pathId("replayId", "replay_not_found", "The replay."),
  answers: { 200: Replay },
  errors: ["replay_not_found"],
  summary: "Cancel a replay",
  description: "What it has put up already is sent. One that has come to its end is answered as it is.",
});
