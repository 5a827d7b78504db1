import Type from "typebox";
import { reportKinds } from "../envelope.ts";
import { facetLengthMax, searchLengthMax, searchLengthMin } from "../limits.ts";
import { pathId } from "../operation.ts";
import { NullableText, NullableTimestamp, NullableUuid, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for inboxes, problems and events. Open to every role. */

const closed = { additionalProperties: false } as const;
const cursor = Type.Optional(Text({ maxLength: 200, description: "The `nextCursor` of the previous page." }));
const nextCursor = NullableText("The `cursor` for the next page. Null on the last page.");

/** The states of a problem. */
export const problemStates = ["open", "resolved", "muted"] as const;

/** How an inbox is sorted. */
export const inboxOrders = ["newest", "frequent"] as const;

export const AppSummary = Type.Object(
  { id: Uuid("The app."), name: Type.String({ description: "The name." }) },
  { description: "An app." },
);

/** A problem without its history. */
const problemFields = {
  id: Uuid("The problem."),
  appId: Uuid("The app."),
  kind: Type.Enum([...reportKinds], { description: "The kind of the problem's first event." }),
  title: Type.String({
    description: "The error's type and message, or the report's title, of the problem's first event.",
  }),
  culprit: NullableText("The location: the topmost app frame, as `function (file)`."),
  state: Type.Enum([...problemStates], {
    description: "The state. A muted problem is open again after `mutedUntil`.",
  }),
  resolvedVersion: NullableText(
    "The version given when the problem was resolved, or else the app's newest version at that time. Null if there was none. Occurrences in a newer version reopen the problem.",
  ),
  resolvedInNext: Type.Boolean({
    description: "Whether the fix is expected in the version after `resolvedVersion`.",
  }),
  mutedUntil: NullableTimestamp(
    "When the problem stops being muted. Null if it is not muted, or is muted until somebody reopens it.",
  ),
  reopenedAt: NullableTimestamp("When the problem last reopened automatically."),
  reopenedVersion: NullableText("The version in which the problem reopened."),
  eventCount: Type.Integer({ description: "The number of occurrences." }),
  installCount: Type.Integer({
    description: "The number of affected installs. Reports without an installId do not count.",
  }),
  userCount: Type.Integer({
    description:
      "The number of affected users. Users are identified by `user.id`, or else `user.email`, or else `installId`; reports with " +
      "none of them do not count.",
  }),
  isUserCountExact: Type.Boolean({
    description: "Whether `userCount` is exact. Above 10,000 it is an estimate, within 3% in most cases.",
  }),
  firstSeenAt: Timestamp("When the problem first occurred."),
  lastSeenAt: Timestamp("When the problem last occurred."),
  lastVersion: NullableText("The app version of the latest occurrence that has one."),
  lastEventId: Uuid("The event of the latest occurrence."),
  cardCount: Type.Integer({ description: "The number of tickets of the problem." }),
  assignee: Type.Union(
    [Type.Object({ id: Uuid("The member."), name: Type.String({ description: "The name." }) }), Type.Null()],
    { description: "The assignee. Null if nobody is assigned." },
  ),
} as const;

/** A problem as lists show it. */
export const ProblemSummary = Type.Object(problemFields, {
  description: "A problem: a group of events with one cause.",
});
export type ProblemSummary = Type.Static<typeof ProblemSummary>;

/** An event as lists show it. */
export const EventSummary = Type.Object(
  {
    id: Uuid("The event."),
    appId: Uuid("The app."),
    problemId: NullableUuid("The event's problem. Null for a single report."),
    kind: Type.Enum([...reportKinds]),
    title: Type.String({ description: "The report's title, error or first line of the message, or else its kind." }),
    message: Type.String({ description: "The beginning of the reporter's message, at most 300 characters." }),
    environment: NullableText("The environment of the app."),
    version: NullableText("The app's version, or else its release."),
    user: NullableText("The user's name, or else e-mail address, or else id."),
    attachmentCount: Type.Integer({ description: "The number of attachments." }),
    receivedAt: Timestamp("When the report was accepted."),
  },
  { description: "An event." },
);
export type EventSummary = Type.Static<typeof EventSummary>;

/** A filter of an inbox. Entries must match all given fields. */
export const InboxFilter = Type.Object(
  {
    order: Type.Optional(
      Type.Enum([...inboxOrders], { description: "The order. Defaults to newest: latest occurrence first." }),
    ),
    show: Type.Optional(
      Type.Enum(["all", "problems", "reports"], {
        description: "The entries to return. Defaults to all: problems, and reports without a problem.",
      }),
    ),
    state: Type.Optional(
      Type.Enum([...problemStates, "any"], {
        description:
          "Only problems in this state. Defaults to open. Single reports have no state: `open` and `any` include them.",
      }),
    ),
    kind: Type.Optional(Type.Enum([...reportKinds])),
    environment: Type.Optional(
      Text({ maxLength: facetLengthMax, description: "Only entries seen in this environment." }),
    ),
    version: Type.Optional(
      Text({ maxLength: facetLengthMax, description: "Only entries seen in this version of the app." }),
    ),
    browser: Type.Optional(
      Text({ maxLength: facetLengthMax, description: "Only entries seen in this browser, such as `Firefox 132`." }),
    ),
    os: Type.Optional(
      Text({ maxLength: facetLengthMax, description: "Only entries seen on this operating system, such as `iOS 17`." }),
    ),
    tag: Type.Optional(
      Text({ maxLength: facetLengthMax, description: "Only entries with this tag, as `name=value`." }),
    ),
    attachments: Type.Optional(Type.Literal("true", { description: "Only entries with attachments." })),
    from: Type.Optional(Timestamp("Only entries last seen at or after this time.")),
    until: Type.Optional(Timestamp("Only entries first seen before this time.")),
    text: Type.Optional(
      Text({
        minLength: searchLengthMin,
        maxLength: searchLengthMax,
        description:
          "All terms and the free text must match. Free text is part of a title, of a message (its first 2,000 characters), of an error, or " +
          "of a file or function of the stack, ignoring case; or a whole `user.id`, `user.email` or `installId`. Terms: `user:` (the exact `user.id`, `user.email` or `installId`), `file:` and " +
          "`function:` (part of a name). `type:`, `version:`, `environment:`, `browser:`, `os:`, `level:` and `tag.NAME:` take the exact value. `is:new` " +
          "matches entries first seen in the last 24 hours, `is:back` problems that reopened and are open. Values with spaces go in quotation marks. For a problem, " +
          "Lodge searches the texts of its occurrences. It keeps about 50 different texts for each hash.",
      }),
    ),
    cursor,
  },
  closed,
);
export type InboxFilter = Type.Static<typeof InboxFilter>;

/** A problem or a single report. */
export const InboxEntry = Type.Union([
  Type.Object({ type: Type.Literal("problem"), problem: ProblemSummary }),
  Type.Object({ type: Type.Literal("report"), event: EventSummary }),
]);
export type InboxEntry = Type.Static<typeof InboxEntry>;

/** A page of an inbox. */
export const InboxPage = Type.Object(
  { entries: Type.Array(InboxEntry, { description: "In the requested order, at most 50." }), nextCursor },
  { description: "A page of problems and single reports of an app." },
);
export type InboxPage = Type.Static<typeof InboxPage>;

const Count = Type.Object({
  value: Type.String({ description: "The value." }),
  eventCount: Type.Integer({ description: "The number of events with the value." }),
  firstSeenAt: Timestamp("When the value was first seen."),
  lastSeenAt: Timestamp("When it was last seen."),
});

/** The values to filter an inbox by. */
export const InboxChoices = Type.Object(
  {
    environments: Type.Array(Count, { description: "Latest first, at most 200." }),
    versions: Type.Array(Count, { description: "Latest first, at most 200." }),
    browsers: Type.Array(Count, { description: "With their major version, most frequent first, at most 200." }),
    operatingSystems: Type.Array(Count, { description: "With their version, most frequent first, at most 200." }),
    tags: Type.Array(Count, { description: "As `name=value`, most frequent first, at most 200." }),
  },
  { description: "The environments, versions, browsers, operating systems and tags of an app's events." },
);
export type InboxChoices = Type.Static<typeof InboxChoices>;

const Buckets = Type.Array(Type.Object({ at: Timestamp("The start of the interval."), eventCount: Type.Integer() }), {
  description: "The intervals without gaps, oldest first.",
});

/** The number of events over time. */
export const Histogram = Type.Object(
  { bucketSeconds: Type.Integer({ description: "The length of an interval in seconds." }), buckets: Buckets },
  { description: "The number of events over time." },
);
export type Histogram = Type.Static<typeof Histogram>;

/** The apps of the organisation with their inboxes. */
export const InboxList = Type.Object(
  {
    inboxes: Type.Array(
      Type.Object({
        app: AppSummary,
        openProblemCount: Type.Integer({ description: "The number of open problems, counted up to 1,000." }),
        lastReceivedAt: NullableTimestamp("When the latest report in the inbox was received."),
        waitingCount: Type.Integer({
          description: "The number of accepted reports that are not in the inbox yet, counted up to 1,000. Normally 0.",
        }),
      }),
      { description: "Sorted by name." },
    ),
  },
  { description: "The inboxes of the organisation's apps." },
);
export type InboxList = Type.Static<typeof InboxList>;

/** A ticket of a problem or an event. */
export const ReportCard = Type.Object(
  {
    ticketId: Uuid("The ticket."),
    title: Type.String({ description: "The title." }),
    boardId: Uuid("The ticket's board."),
    board: Type.String({ description: "The name of the board." }),
    column: Type.String({ description: "The name of the column." }),
    isDone: Type.Boolean({ description: "Whether the ticket is done." }),
    isArchived: Type.Boolean({ description: "Whether the ticket is archived." }),
    url: Type.String({ description: "The URL of the ticket in the dashboard." }),
  },
  { description: "A ticket for a problem or an event." },
);
export type ReportCard = Type.Static<typeof ReportCard>;

/** The grouping rules, in the order in which they are tried. */
export const groupingRules = ["fingerprint", "own_frames", "first_frame", "message"] as const;

/** A problem with all data of its page. */
export const ProblemDetails = Type.Object(
  {
    ...problemFields,
    app: AppSummary,
    firstEventId: Uuid("The problem's first event. Its content may have been deleted."),
    firstVersion: NullableText("The app version of the first occurrence that has one."),
    droppedEventCount: Type.Integer({
      description: "The number of occurrences that were deleted after their retention. They still count.",
    }),
    hashes: Type.Array(
      Type.Object({
        hash: Uuid("A hash of the problem's events. A merged problem has several, and each can be split off."),
        rule: Type.Enum([...groupingRules], { description: "The grouping rule." }),
        ruleVersion: Type.Integer({ description: "The version of the grouping rules." }),
        isRetired: Type.Boolean({
          description: "Whether new reports no longer match this hash, because the app's problems were regrouped.",
        }),
        strings: Type.Array(Type.String(), { description: "The hashed strings." }),
        eventCount: Type.Integer({ description: "The number of occurrences." }),
        lastSeenAt: Timestamp("When it was last seen."),
      }),
      { description: "The problem's hashes, most frequent first, at most 100." },
    ),
    versions: Type.Array(Count, { description: "Latest first, at most 100." }),
    environments: Type.Array(Count, { description: "Most frequent first, at most 100." }),
    browsers: Type.Array(Count, { description: "With their major version, most frequent first, at most 100." }),
    operatingSystems: Type.Array(Count, { description: "With their version, most frequent first, at most 100." }),
    tags: Type.Array(Count, { description: "As `name=value`, most frequent first, at most 100." }),
    histogram: Histogram,
    cards: Type.Array(ReportCard, { description: "The tickets of the problem." }),
    url: Type.String({ description: "The URL of the problem in the dashboard." }),
  },
  { description: "A problem." },
);
export type ProblemDetails = Type.Static<typeof ProblemDetails>;

/** A page of the events of a problem. */
export const EventQuery = Type.Object({ cursor }, closed);
export type EventQuery = Type.Static<typeof EventQuery>;

/** A page of the events of a problem. */
export const EventPage = Type.Object(
  { events: Type.Array(EventSummary, { description: "Latest first, at most 50." }), nextCursor },
  { description: "A page of the events of a problem." },
);
export type EventPage = Type.Static<typeof EventPage>;

/** A frame of a stack. */
export const Frame = Type.Object(
  {
    raw: Type.String({ description: "The line, as sent." }),
    function: NullableText("The name of the function. Null if there is none."),
    file: NullableText("The file or URL, as sent. Null for native code."),
    line: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "Counted from 1." }),
    column: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "Counted from 1." }),
    isOwn: Type.Boolean({ description: "Whether the frame belongs to the app, not to a library or the platform." }),
    isMapped: Type.Boolean({
      description: "Whether function, file, line and column were mapped through a source map or a mapping file.",
    }),
    module: NullableText("The class, package, module or binary of the function. Null if there is none."),
    isAsync: Type.Boolean({
      description: "Whether this function called the next inner frame asynchronously, for example with `await`.",
    }),
    isCulprit: Type.Boolean({ description: "Whether this is the error's location, in the app's code if possible." }),
    context: Type.Union(
      [
        Type.Object({ before: Type.Array(Type.String()), line: Type.String(), after: Type.Array(Type.String()) }),
        Type.Null(),
      ],
      { description: "The source lines around the frame's line, if they were sent." },
    ),
  },
  { description: "A frame of a stack." },
);
export type Frame = Type.Static<typeof Frame>;

const framesFields = {
  frames: Type.Array(Frame, { description: "Innermost first, at most 200." }),
  frameCount: Type.Integer({ description: "The number of frames." }),
};

/** An error that caused another. */
export const ErrorCause = Type.Object(
  {
    type: NullableText("The type of the error."),
    message: NullableText("The message of the error, at most 20,000 characters."),
    isMember: Type.Boolean({
      description: "Whether the error is the second or a later member of an exception group.",
    }),
    ...framesFields,
  },
  { description: "An error that caused another." },
);
export type ErrorCause = Type.Static<typeof ErrorCause>;

/** A thread, goroutine or task other than the one that failed. */
export const ErrorThread = Type.Object(
  { name: Type.String(), ...framesFields },
  { description: "A thread, goroutine or task." },
);
export type ErrorThread = Type.Static<typeof ErrorThread>;

/**
 * An event with all data of its page. All texts come from strangers. NUL and unpaired surrogates are replaced, because
 * they cannot be shown; the raw envelope keeps them.
 */
export const EventDetails = Type.Object(
  {
    id: Uuid("The event."),
    app: AppSummary,
    problem: Type.Union([ProblemSummary, Type.Null()], { description: "The event's problem." }),
    reportId: Type.String({ description: "The id that the SDK gave the report." }),
    kind: Type.Enum([...reportKinds]),
    title: Type.String({ description: "The report's title, error or first line of the message, or else its kind." }),
    message: Type.String({ description: "The reporter's message." }),
    receivedAt: Timestamp("When the report was accepted."),
    occurredAt: NullableText("When it happened, by the reporter's clock (RFC 3339)."),
    installId: NullableText("The install that sent the report."),
    user: Type.Record(Type.String(), Type.String(), {
      description: "`id`, `email` and `name`, if sent.",
    }),
    appFields: Type.Record(Type.String(), Type.String(), {
      description: "`version`, `build`, `environment` and `release`, if sent.",
    }),
    device: Type.Record(Type.String(), Type.String(), {
      description: "`model`, `os`, `osVersion`, `locale`, `screen` and `userAgent`, if sent.",
    }),
    browser: NullableText("The browser with its major version, read from the user agent. Null if it is unknown."),
    os: NullableText(
      "The operating system with its version, as sent or read from the user agent. Null if it is unknown.",
    ),
    sdk: NullableText("The name and version of the SDK."),
    platform: NullableText("The platform that the app sent."),
    level: NullableText("The severity, as the app sent it."),
    fingerprint: Type.Array(Type.String(), { description: "The fingerprint that the app sent." }),
    error: Type.Union(
      [
        Type.Object({
          type: Type.String(),
          message: Type.String(),
          stack: NullableText("The stack as sent, cut after 256 KiB."),
          ...framesFields,
          causes: Type.Array(ErrorCause, {
            description: "The causes of the error, outermost first: the last one is the root cause. At most 20.",
          }),
          threads: Type.Array(ErrorThread, { description: "Other threads, goroutines or tasks, at most 50." }),
          language: NullableText("The language of the stack, if it was read: `javascript`, `jvm`, `python`, …"),
          isNewestLast: Type.Boolean({
            description: "Whether the platform shows the latest call last and the root cause first, as Python does.",
          }),
        }),
        Type.Null(),
      ],
      { description: "The error." },
    ),
    breadcrumbs: Type.Array(
      Type.Object({
        at: Type.String({ description: "When it happened, by the reporter's clock (RFC 3339)." }),
        category: Type.String(),
        message: Type.String(),
        level: NullableText("The level."),
        data: Type.Unknown({ description: "Any JSON. Null if there is none." }),
      }),
      { description: "The breadcrumbs, oldest first, at most 200." },
    ),
    tags: Type.Record(Type.String(), Type.String()),
    context: Type.Unknown({ description: "Any JSON. Null if there is none." }),
    isCut: Type.Boolean({
      description:
        "Whether the envelope is larger than 256 KiB. Then `context` and the `data` of breadcrumbs are left out, and texts " +
        "are cut. `envelopeUrl` has the whole envelope.",
    }),
    dropped: Type.Array(
      Type.Object({
        partName: Type.String(),
        reason: Type.String(),
        byteLength: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
      }),
      { description: "The parts that the SDK removed before sending, at most 100." },
    ),
    attachments: Type.Array(
      Type.Object({
        position: Type.Integer({ description: "The position in the envelope's attachments, from 0." }),
        partName: Type.String(),
        filename: NullableText("The file name."),
        contentType: NullableText("The declared media type."),
        kind: NullableText("screenshot, log, recording or other."),
        byteLength: Type.Integer(),
        preview: Type.Unsafe<"image" | "text" | null>({
          enum: ["image", "text", null],
          description:
            "How to show the attachment. `image` (declared as PNG, JPEG, GIF, WebP or AVIF): use the URL as the source of an `<img>`. " +
            "`text`: fetch it and show it as text. Null if it cannot be shown.",
        }),
        url: NullableText(
          "The URL of the file, valid for 7 days. It is on the dashboard's origin and supports range requests. The response is a download with a " +
            "`sandbox` Content-Security-Policy: use the URL as the source of an `<img>`, in a fetch or as a link. Null after the retention period.",
        ),
      }),
      { description: "The attachments of the report." },
    ),
    envelopeUrl: Type.String({
      description: "The URL of the raw envelope, byte for byte. Works like an attachment's url.",
    }),
    originalUrl: NullableText(
      "The URL of the event as a Sentry SDK sent it, byte for byte. Works like an attachment's url. Null for other reports.",
    ),
    aboutEventId: NullableUuid("The event that this feedback is about, if it has been received."),
    feedback: Type.Array(
      Type.Object({
        eventId: Uuid("The event of the feedback."),
        message: Type.String({ description: "The start of the reporter's message." }),
        receivedAt: Timestamp("When it was accepted."),
      }),
      { description: "The feedback that Sentry SDKs sent about this event, newest first, at most 20." },
    ),
    cards: Type.Array(ReportCard, {
      description: "The tickets of this event. The problem has its own tickets.",
    }),
    threadId: NullableUuid("The thread with the reporter. Null if replies were off."),
    readFailure: NullableText(
      "Why Lodge shows the report unprocessed and without a problem. Null if it was processed.",
    ),
    newerEventId: NullableUuid("The next newer occurrence of the problem."),
    olderEventId: NullableUuid("The next older occurrence of the problem."),
    url: Type.String({ description: "The URL of the event in the dashboard: `{base}/events/{id}`." }),
  },
  { description: "An event." },
);
export type EventDetails = Type.Static<typeof EventDetails>;

/**
 * The organisation, app and problem of `/events/{id}`, in any of the person's organisations. Switch first if `organisationId` is not the current
 * one.
 */
export const EventPlace = Type.Object(
  {
    organisationId: Uuid("The organisation."),
    appId: Uuid("The app."),
    problemId: NullableUuid("The event's problem."),
  },
  { description: "The organisation, app and problem of an event." },
);
export type EventPlace = Type.Static<typeof EventPlace>;

/** The new state of a problem. */
export const ChangeProblem = Type.Object(
  {
    state: Type.Enum([...problemStates]),
    version: Type.Optional(
      Text({
        minLength: 1,
        maxLength: facetLengthMax,
        description:
          "Only with `resolved`: the problem reopens when it occurs in a newer version. Defaults to the app's newest version. " +
          "If the app has no version, any occurrence reopens it.",
      }),
    ),
    inNextVersion: Type.Optional(
      Type.Boolean({
        description:
          "Only with `resolved`: whether the fix is expected in the version after `version`. Only changes what the dashboard shows, not when the problem reopens.",
      }),
    ),
    until: Type.Optional(
      Timestamp("Only with `muted`: when the problem reopens. If omitted, it stays muted until somebody reopens it."),
    ),
  },
  { ...closed, description: "The new state of the problem." },
);
export type ChangeProblem = Type.Static<typeof ChangeProblem>;

/** The new assignee of a problem. */
export const AssignProblem = Type.Object(
  { userId: NullableUuid("A member of the organisation, or its AI agent. Null for nobody.") },
  { ...closed, description: "The new assignee of the problem." },
);
export type AssignProblem = Type.Static<typeof AssignProblem>;

const TopProblem = Type.Object({
  problem: ProblemSummary,
  app: AppSummary,
  histogram: Histogram,
});

/** The problems at the top of the page of all reports. */
export const TopProblems = Type.Object(
  {
    newest: Type.Array(TopProblem, { description: "The newest open problems, by first occurrence, at most 5." }),
    frequent: Type.Array(TopProblem, { description: "The open problems with the most events, at most 5." }),
  },
  {
    description:
      "The newest and the most frequent problems of all apps, each with its number of events per day over the last 14 days.",
  },
);
export type TopProblems = Type.Static<typeof TopProblems>;

/** The problems to merge into another. */
export const MergeProblems = Type.Object(
  { problemIds: Type.Array(Uuid("A problem of the same app."), { minItems: 1, maxItems: 50 }) },
  { ...closed, description: "The problems to merge into this one." },
);
export type MergeProblems = Type.Static<typeof MergeProblems>;

/** The hashes to split off a problem. */
export const SplitProblem = Type.Object(
  { hashes: Type.Array(Uuid("A hash of the problem."), { minItems: 1, maxItems: 100 }) },
  { ...closed, description: "The hashes to split off." },
);
export type SplitProblem = Type.Static<typeof SplitProblem>;

/** The place of a ticket. */
export const MakeReportCard = Type.Object(
  { columnId: Uuid("The column for the ticket, on any board of the organisation. The ticket is placed on top.") },
  { ...closed, description: "The place of the ticket." },
);
export type MakeReportCard = Type.Static<typeof MakeReportCard>;

/** The report or problem of a ticket. */
export const TicketReport = Type.Object(
  {
    problem: Type.Union([ProblemSummary, Type.Null()], {
      description: "The problem. Null if the ticket is about a single report.",
    }),
    eventId: NullableUuid("The ticket's report, or the latest report of its problem."),
    frames: Type.Array(Frame, { description: "The stack of that report, innermost first, at most 50." }),
    pictures: Type.Array(
      Type.Object({
        eventId: Uuid("The event of the image."),
        filename: Type.String({ description: "The file name." }),
        byteLength: Type.Integer(),
        url: Type.String({ description: "The URL of the file, as for an event's attachments." }),
      }),
      { description: "The images of the first reports with images, at most 5." },
    ),
  },
  { description: "The report or problem of a ticket." },
);
export type TicketReport = Type.Static<typeof TicketReport>;

const appPath = pathId("appId", "app_not_found", "The app.");
const problemPath = pathId("problemId", "problem_not_found", "The problem.");
const eventPath = pathId("eventId", "event_not_found", "The event.");

export const listInboxes = dashboard({
  id: "listInboxes",
  method: "GET",
  path: "/api/dashboard/inboxes",
  role: "member",
  answers: { 200: InboxList },
  errors: [],
  summary: "List the apps with their inboxes",
  staleAfter: ["inbox.changed", "problem.changed", "apps.changed"],
});

export const viewInbox = dashboard({
  id: "viewInbox",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/inbox",
  role: "member",
  params: appPath,
  query: InboxFilter,
  answers: { 200: InboxPage },
  errors: ["app_not_found", "rate_limit_exceeded"],
  summary: "List problems and single reports of an app",
  description: "A report appears in the inbox within a second, or within a minute under very high load.",
  staleAfter: ["inbox.changed", "problem.changed"],
});

export const listInboxChoices = dashboard({
  id: "listInboxChoices",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/inbox/choices",
  role: "member",
  params: appPath,
  answers: { 200: InboxChoices },
  errors: ["app_not_found"],
  summary: "List the filter values of an inbox",
});

export const getInboxHistogram = dashboard({
  id: "getInboxHistogram",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/inbox/histogram",
  role: "member",
  params: appPath,
  query: Type.Object(
    {
      kind: Type.Optional(Type.Enum([...reportKinds])),
      days: Type.Optional(Type.Enum(["1", "7", "30"], { description: "The number of days. Defaults to 7." })),
    },
    closed,
  ),
  answers: { 200: Histogram },
  errors: ["app_not_found"],
  summary: "Count the events of an app over time",
  description:
    "Counts by hour for 1 day, by 6 hours for 7 days, and by day for 30 days. Of the inbox's filters, only `kind` can be used here.",
  staleAfter: ["inbox.changed"],
});

export const getProblem = dashboard({
  id: "getProblem",
  method: "GET",
  path: "/api/dashboard/problems/{problemId}",
  role: "member",
  params: problemPath,
  answers: { 200: ProblemDetails },
  errors: ["problem_not_found"],
  summary: "Get a problem",
  staleAfter: ["problem.occurred", "problem.changed"],
});

export const listProblemEvents = dashboard({
  id: "listProblemEvents",
  method: "GET",
  path: "/api/dashboard/problems/{problemId}/events",
  role: "member",
  params: problemPath,
  query: EventQuery,
  answers: { 200: EventPage },
  errors: ["problem_not_found"],
  summary: "List the events of a problem",
  staleAfter: ["problem.occurred", "problem.changed"],
});

export const getEvent = dashboard({
  id: "getEvent",
  method: "GET",
  path: "/api/dashboard/events/{eventId}",
  role: "member",
  params: eventPath,
  answers: { 200: EventDetails },
  errors: ["event_not_found"],
  summary: "Get an event",
  staleAfter: ["problem.occurred", "problem.changed"],
});

export const getEventPlace = dashboard({
  id: "getEventPlace",
  method: "GET",
  path: "/api/dashboard/events/{eventId}/place",
  role: "signed-in",
  params: eventPath,
  answers: { 200: EventPlace },
  errors: ["event_not_found"],
  summary: "Find the organisation, app and problem of an event",
});

export const changeProblem = dashboard({
  id: "changeProblem",
  method: "PATCH",
  path: "/api/dashboard/problems/{problemId}",
  role: "member",
  params: problemPath,
  body: ChangeProblem,
  answers: { 200: ProblemDetails },
  errors: ["problem_not_found"],
  summary: "Resolve, reopen or mute a problem",
});

export const listTopProblems = dashboard({
  id: "listTopProblems",
  method: "GET",
  path: "/api/dashboard/problems/top",
  role: "member",
  answers: { 200: TopProblems },
  errors: [],
  summary: "List the newest and the most frequent problems of all apps",
  staleAfter: ["inbox.changed", "problem.changed", "apps.changed"],
});

export const assignProblem = dashboard({
  id: "assignProblem",
  method: "PATCH",
  path: "/api/dashboard/problems/{problemId}/assignee",
  role: "member",
  params: problemPath,
  body: AssignProblem,
  answers: { 200: ProblemDetails },
  errors: ["problem_not_found", "not_a_member"],
  summary: "Assign a problem",
});

export const mergeProblems = dashboard({
  id: "mergeProblems",
  method: "POST",
  path: "/api/dashboard/problems/{problemId}/merge",
  role: "member",
  params: problemPath,
  body: MergeProblems,
  answers: { 200: ProblemDetails },
  errors: ["problem_not_found"],
  summary: "Merge problems",
  description: "Keeps the state of this problem. The other problems are deleted, and their tickets move to this one.",
});

export const splitProblem = dashboard({
  id: "splitProblem",
  method: "POST",
  path: "/api/dashboard/problems/{problemId}/split",
  role: "member",
  params: problemPath,
  body: SplitProblem,
  answers: { 201: ProblemDetails },
  errors: ["problem_not_found", "hash_not_found"],
  summary: "Split a problem",
  description: "Moves the hashes to a new open problem, and returns it. At least one hash must stay.",
});

export const makeProblemCard = dashboard({
  id: "makeProblemCard",
  method: "POST",
  path: "/api/dashboard/problems/{problemId}/cards",
  role: "member",
  params: problemPath,
  body: MakeReportCard,
  answers: { 201: ReportCard },
  errors: ["problem_not_found", "column_not_found"],
  summary: "Create a ticket for a problem",
});

export const makeEventCard = dashboard({
  id: "makeEventCard",
  method: "POST",
  path: "/api/dashboard/events/{eventId}/cards",
  role: "member",
  params: eventPath,
  body: MakeReportCard,
  answers: { 201: ReportCard },
  errors: ["event_not_found", "column_not_found"],
  summary: "Create a ticket for an event, or for its problem if it has one",
});

export const getTicketReport = dashboard({
  id: "getTicketReport",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/report",
  role: "member",
  params: pathId("ticketId", "ticket_not_found", "The ticket."),
  answers: { 200: TicketReport },
  errors: ["ticket_not_found"],
  summary: "Get the report or problem of a ticket",
  description: "If the ticket was not filed for a report, all fields are null or empty.",
  staleAfter: ["problem.occurred", "problem.changed", "board.changed"],
});
