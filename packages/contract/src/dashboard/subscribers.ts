import Type from "typebox";
import { reportKinds } from "../envelope.ts";
import { addressLengthMax, facetLengthMax, filterValuesMax, perMinuteMax } from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { Spike } from "../spike.ts";
import { NullableText, NullableTimestamp, NullableUuid, SigningSecret, Text, Timestamp, Uuid } from "../text.ts";
import { subscriberKinds } from "../world.ts";
import { Delivery, DeliveryAttempt, deliveryStates } from "./deliveries.ts";
import { AppSummary } from "./inbox.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for subscribers (contract section 4). For owners and admins. */

const closed = { additionalProperties: false } as const;
const cursor = Type.Optional(Uuid("The `nextCursor` of the previous page."));
const nextCursor = NullableText("The `cursor` for the next page. Null on the last page.");
const TargetUrl = Text({
  minLength: 1,
  maxLength: addressLengthMax,
  description:
    "The target: an http:// or https:// URL without a user name; `mailto:` and the e-mail address for e-mail; the repository's URL for GitHub issues.",
});

const values = (description: string) =>
  Type.Optional(
    Type.Array(Text({ minLength: 1, maxLength: facetLengthMax, description: "A value to match." }), {
      minItems: 1,
      maxItems: filterValuesMax,
      description,
    }),
  );

/** A filter of the reports that a subscriber gets. Reports must match all given fields. */
export const SubscriberFilter = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(Type.Enum([...reportKinds]), {
        minItems: 1,
        maxItems: reportKinds.length,
        description: "Only reports of these kinds.",
      }),
    ),
    environments: values("Only reports from these environments of the app."),
    versions: values("Only reports from these versions of the app, or from these releases if a report has no version."),
    tags: values("Only reports with one of these tags, as `name=value`. The first 20 tags of a report are compared."),
    errorTypes: values("Only reports with an error of one of these types."),
    firstOfProblem: Type.Optional(
      Type.Boolean({
        description:
          "Only the first report of each problem. Reports without a problem, such as feedback, always match; exclude them with `kinds`. " +
          "With `back` or `spike`, a report must match one of the three.",
      }),
    ),
    newProblemsOnly: Type.Optional(Type.Boolean({ description: "Deprecated: use `firstOfProblem`." })),
    back: Type.Optional(
      Type.Boolean({
        description:
          "Only reports that reopen a resolved problem. They are sent once they are in the inbox, and not counted in `deliveryCount`.",
      }),
    ),
    spike: Type.Optional(
      Type.Object(Spike.properties, {
        ...closed,
        description:
          "Only the report that takes a problem over `events` occurrences within `minutes`: one report per spike, sent once it is in the " +
          "inbox, as with `back`. All reports of the problem count, whatever the other filters. Muted problems never match.",
      }),
    ),
  },
  {
    ...closed,
    description: "The filter for the reports that the subscriber gets. Lodge applies it when it accepts a report.",
  },
);
export type SubscriberFilter = Type.Static<typeof SubscriberFilter>;

const NullableFilter = Type.Union([SubscriberFilter, Type.Null()], {
  description: "The filter. Null for all reports.",
});

const NullablePerMinute = Type.Unsafe<number | null>({
  type: ["integer", "null"],
  minimum: 1,
  maximum: perMinuteMax,
  description: "The rate limit: attempts per minute, spread evenly. Null for no limit.",
});

const subscriberFields = {
  id: Uuid("The subscriber."),
  app: AppSummary,
  kind: Type.Enum([...subscriberKinds]),
  url: NullableText("The target. Null for a board."),
  boardId: NullableUuid("The board to file tickets on. Null for other kinds."),
  boardName: NullableText("The name."),
  columnId: NullableUuid("The column to file tickets in. Null for the leftmost."),
  filter: NullableFilter,
  perMinute: NullablePerMinute,
  ordered: Type.Boolean({
    description:
      "Whether deliveries are sent in order. A failing delivery is retried until it succeeds or is skipped, and blocks the ones after it.",
  }),
  enabled: Type.Boolean({ description: "Whether the subscriber gets events." }),
  disabledAt: NullableTimestamp(
    "When the subscriber was disabled. Once it is enabled, you can replay the events since then.",
  ),
  disabledReason: NullableText("Why the subscriber was disabled."),
  waitsForConfirmation: Type.Boolean({
    description:
      "Whether the owner of the e-mail address still has to open the e-mailed link and confirm. Until then, the subscriber gets no events.",
  }),
  failingSince: NullableTimestamp(
    "When the first attempt after the last successful one failed. Null if the last attempt succeeded.",
  ),
  pausedUntil: NullableTimestamp(
    "When deliveries resume, if they are paused after failures. Null if they are not paused.",
  ),
  createdAt: Timestamp("When it was created."),
  waitingCount: Type.Integer({ description: "The number of waiting deliveries, counted up to 1,000." }),
  deadCount: Type.Integer({ description: "The number of permanently failed deliveries, counted up to 1,000." }),
  deliveredCount: Type.Integer({ description: "The number of successful attempts in the last 24 hours." }),
  failedCount: Type.Integer({ description: "The number of failed attempts in the last 24 hours." }),
} as const;

/** A subscriber to the events of an app. */
export const Subscriber = Type.Object(subscriberFields, { description: "A subscriber to the events of an app." });
export type Subscriber = Type.Static<typeof Subscriber>;

/** The subscribers of the organisation, and the apps that can have some. */
export const SubscriberList = Type.Object(
  {
    subscribers: Type.Array(Subscriber, { description: "Sorted by app, oldest first, at most 500." }),
    apps: Type.Array(AppSummary, { description: "Sorted by name, at most 500." }),
  },
  { description: "The subscribers of the organisation." },
);
export type SubscriberList = Type.Static<typeof SubscriberList>;

/** A replay of the events of a period to a subscriber. */
export const Replay = Type.Object(
  {
    id: Uuid("The replay. Webhooks get it in the header `lodge-replay`."),
    state: Type.Enum(["running", "done", "cancelled"]),
    from: Timestamp("Only events received at or after this time."),
    until: Timestamp("Only events received before this time."),
    again: Type.Boolean({ description: "Whether events that were already delivered are resent." }),
    eventCount: Type.Integer({ description: "The number of events to send when the replay started." }),
    sentCount: Type.Integer({ description: "The number of events sent so far." }),
    startedBy: Type.String({ description: "The name of the person who started the replay." }),
    startedAt: Timestamp("When the replay started."),
    endedAt: NullableTimestamp("When it ended."),
    endedBy: NullableText("The name of the person who cancelled the replay, or the reason it ended early."),
  },
  { description: "A replay of the events of a period to a subscriber." },
);
export type Replay = Type.Static<typeof Replay>;

/** A replay to start. */
export const StartReplay = Type.Object(
  {
    from: Timestamp("Only events received at or after this time."),
    until: Timestamp("Only events received before this time."),
    again: Type.Optional(
      Type.Boolean({ description: "Whether to resend events that were already delivered. Defaults to false." }),
    ),
  },
  { ...closed, description: "The replay to start." },
);
export type StartReplay = Type.Static<typeof StartReplay>;

/** A replay to count. */
export const ReplayQuery = Type.Object(
  {
    from: Type.Optional(Timestamp("Only events received at or after this time. Defaults to a day before `until`.")),
    until: Type.Optional(Timestamp("Only events received before this time. Defaults to now.")),
    again: Type.Optional(Type.Literal("true", { description: "Also counts events that were already delivered." })),
  },
  closed,
);
export type ReplayQuery = Type.Static<typeof ReplayQuery>;

/** A subscriber with all data of its page. */
export const SubscriberDetails = Type.Object(
  {
    ...subscriberFields,
    secrets: Type.Array(
      Type.Object({
        id: Uuid("The secret."),
        createdAt: Timestamp("When it was created."),
        expiresAt: NullableTimestamp("When Lodge stops signing messages with this secret. Null for the newest secret."),
      }),
      {
        description:
          "The signing secrets of a webhook, newest first, or the token for GitHub issues. Empty for other kinds.",
      },
    ),
    health: Type.Array(
      Type.Object({
        day: Type.String({ description: "The day (UTC), as YYYY-MM-DD." }),
        deliveredCount: Type.Integer({ description: "The number of successful attempts." }),
        failedCount: Type.Integer({ description: "The number of failed attempts." }),
        meanMs: Type.Unsafe<number | null>({
          type: ["integer", "null"],
          description: "The average duration of an attempt in milliseconds. Null if there was none.",
        }),
      }),
      { description: "The last 14 days without gaps, oldest first." },
    ),
    replays: Type.Array(Replay, { description: "Latest first, at most 10." }),
  },
  { description: "A subscriber with its details." },
);
export type SubscriberDetails = Type.Static<typeof SubscriberDetails>;

const Token = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[!-~]+$",
  description: "The token for GitHub issues. It needs access to read and write issues of the repository.",
});

/** A subscriber to create: a board needs a columnId, all other kinds need a url. */
export const CreateSubscriber = Type.Object(
  {
    kind: Type.Enum([...subscriberKinds]),
    url: Type.Optional(TargetUrl),
    columnId: Type.Optional(Uuid("The column to file tickets in, for a board.")),
    secret: Type.Optional(
      SigningSecret("The signing secret of a webhook, if its receiver already has one. Defaults to a new secret."),
    ),
    token: Type.Optional(Token),
    filter: Type.Optional(NullableFilter),
    perMinute: Type.Optional(NullablePerMinute),
    ordered: Type.Optional(Type.Boolean({ description: "Whether deliveries are sent in order." })),
  },
  { ...closed, description: "The subscriber to create." },
);
export type CreateSubscriber = Type.Static<typeof CreateSubscriber>;

/** A new subscriber. */
export const NewSubscriber = Type.Object(
  {
    subscriber: Subscriber,
    secret: NullableText("The signing secret of a webhook, returned only once. Null for other kinds."),
  },
  { description: "The new subscriber." },
);
export type NewSubscriber = Type.Static<typeof NewSubscriber>;

/** The changes to a subscriber. */
export const ChangeSubscriber = Type.Object(
  {
    url: Type.Optional(TargetUrl),
    columnId: Type.Optional(Uuid("The column to file tickets in, for a board.")),
    token: Type.Optional(Token),
    filter: Type.Optional(NullableFilter),
    perMinute: Type.Optional(NullablePerMinute),
    ordered: Type.Optional(Type.Boolean({ description: "Whether deliveries are sent in order." })),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          "False disables the subscriber and fails its waiting deliveries permanently. True enables it and resets its failures.",
      }),
    ),
  },
  { ...closed, minProperties: 1, description: "The fields to change. Omitted fields stay as they are." },
);
export type ChangeSubscriber = Type.Static<typeof ChangeSubscriber>;

/** A test message. */
export const TestSubscriber = Type.Object(
  {
    kind: Type.Enum([...subscriberKinds]),
    url: TargetUrl,
    secret: Type.Optional(SigningSecret("The secret to sign a webhook's message with.")),
    token: Type.Optional(Token),
    subscriberId: Type.Optional(
      Uuid("A subscriber with the same kind and target. Its stored secrets or token are used instead."),
    ),
  },
  { ...closed, description: "The target of the test message." },
);
export type TestSubscriber = Type.Static<typeof TestSubscriber>;

/** The result of a test message. */
export const TestOutcome = Type.Omit(DeliveryAttempt, ["number", "startedAt"], {
  description: "The result of the test message.",
});
export type TestOutcome = Type.Static<typeof TestOutcome>;

/** A filter of a subscriber's deliveries. */
export const DeliveryQuery = Type.Object(
  { state: Type.Optional(Type.Enum([...deliveryStates], { description: "Only deliveries in this state." })), cursor },
  closed,
);
export type DeliveryQuery = Type.Static<typeof DeliveryQuery>;

/** A delivery with its event. */
export const ListedDelivery = Type.Intersect(
  [
    Delivery,
    Type.Object({
      event: Type.Object({
        id: Uuid("The event."),
        title: NullableText("The title. Null if the event is not processed yet or was deleted."),
        receivedAt: Timestamp("When the report was accepted."),
      }),
    }),
  ],
  { description: "A delivery with its event." },
);
export type ListedDelivery = Type.Static<typeof ListedDelivery>;

/** A page of the deliveries of a subscriber. */
export const DeliveryPage = Type.Object(
  { deliveries: Type.Array(ListedDelivery, { description: "Latest first, at most 50." }), nextCursor },
  { description: "A page of the deliveries to a subscriber." },
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
  summary: "Get a subscriber",
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
  summary: "Create a subscriber",
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
  summary: "Update a subscriber",
  description: "To change the `url` of a `github` subscriber, send its `token` again.",
});

export const sendSubscriberConfirmation = dashboard({
  id: "sendSubscriberConfirmation",
  method: "POST",
  path: "/api/dashboard/subscribers/{subscriberId}/confirmation",
  role: "admin",
  params: subscriberPath,
  answers: { 200: Subscriber },
  errors: ["subscriber_not_found"],
  summary: "Resend the confirmation link of a subscriber",
  description:
    "Only for e-mail subscribers that are not confirmed yet. The previous link stops working. The caller's own verified address is confirmed immediately. An organisation can send at most 3 e-mails a day to an unverified address, and at most 50 a day to all of them together.",
});

/** The subscription that a link confirms. */
export const SubscriptionLink = Type.Object(
  {
    email: Type.String({ description: "The e-mail address that reports are to be sent to." }),
    appName: Type.String({ description: "The name of the app that the reports come from." }),
    organisationName: Type.String({ description: "The name of the organisation that wants to send the reports." }),
  },
  { description: "The subscription that the link confirms." },
);
export type SubscriptionLink = Type.Static<typeof SubscriptionLink>;

const linkPath = Type.Object({ secret: Text({ maxLength: 200, description: "The secret of the link." }) });

export const getSubscription = dashboard({
  id: "getSubscription",
  method: "GET",
  path: "/api/dashboard/subscriptions/{secret}",
  role: "everybody",
  params: linkPath,
  answers: { 200: SubscriptionLink },
  errors: ["subscription_not_found"],
  summary: "Get the subscription that a link confirms",
  description: "Does not confirm anything, because e-mail scanners open links.",
});

export const confirmSubscription = dashboard({
  id: "confirmSubscription",
  method: "POST",
  path: "/api/dashboard/subscriptions/{secret}",
  role: "everybody",
  params: linkPath,
  answers: noContent,
  errors: ["subscription_not_found", "rate_limit_exceeded"],
  summary: "Confirm an e-mail subscription",
});

export const rotateSubscriberSecret = dashboard({
  id: "rotateSubscriberSecret",
  method: "POST",
  path: "/api/dashboard/subscribers/{subscriberId}/secrets",
  role: "admin",
  params: subscriberPath,
  answers: { 201: Type.Object({ secret: Type.String({ description: "The new secret. Returned only once." }) }) },
  errors: ["subscriber_not_found"],
  summary: "Rotate the secret of a webhook",
  description:
    "For 24 hours, Lodge also signs messages with the previous secret. Older secrets stop working immediately. If the subscriber is not a webhook, the request fails with `subscriber_not_found`.",
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
    "Deliveries stop and secrets are deleted immediately. Deliveries, attempts and replays are deleted later. Events and filed tickets are kept.",
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
  summary: "Send a test message",
  description:
    "Sends a `report.received` message about a fictitious report with the `reportId` `lodge-test`. Stores only an entry in the audit log. Only for kinds of subscribers that receive messages.",
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
      resentCount: Type.Integer({ description: "The number of resent deliveries, at most 5,000." }),
      more: Type.Boolean({ description: "Whether more failed deliveries are left. Send the request again for them." }),
    }),
  },
  errors: ["subscriber_not_found", "subscriber_disabled"],
  summary: "Resend permanently failed deliveries",
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
      eventCount: Type.Integer({ description: "The number of events to send." }),
      seconds: Type.Integer({ description: "The minimum duration of the replay, in seconds." }),
    }),
  },
  errors: ["subscriber_not_found"],
  summary: "Count the events that a replay would send",
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
  summary: "Start a replay",
  description:
    "Sends the events of a period that match the subscriber's current filter and were not delivered yet, including events older than the subscriber. At most 50 events per second. Permanently failed deliveries are resent with the same id.",
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
  description: "Deliveries that are already queued are still sent. Cancelling a finished replay changes nothing.",
});
