import Type from "typebox";
import { reportKinds } from "../envelope.ts";
import { facetLengthMax, searchLengthMax, searchLengthMin } from "../limits.ts";
import { pathId } from "../operation.ts";
import { NullableText, NullableTimestamp, NullableUuid, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: what the apps report, as problems and single reports, and each event. All of it is for every role. */

const closed = { additionalProperties: false } as const;
const cursor = Type.Optional(Text({ maxLength: 200, description: "The `nextCursor` of the page before." }));
const nextCursor = NullableText("What to send as `cursor` for those after; null where there are none.");

/** The states of a problem. */
export const problemStates = ["open", "resolved", "muted"] as const;

/** How an inbox is sorted. */
export const inboxOrders = ["newest", "frequent"] as const;

export const AppSummary = Type.Object(
  { id: Uuid("The app."), name: Type.String({ description: "Its name." }) },
  { description: "An app." },
);

/** What is known of a problem without its history. */
const problemFields = {
  id: Uuid("The problem."),
  appId: Uuid("The app."),
  kind: Type.Enum([...reportKinds], { description: "The kind of the event that it was first seen in." }),
  title: Type.String({
    description: "The error's type and message, or the report's title, of the event that it was first seen in.",
  }),
  culprit: NullableText("Where it happens: the topmost frame of the app's own, as `function (file)`."),
  state: Type.Enum([...problemStates], {
    description: "A problem whose `mutedUntil` is over is open.",
  }),
  resolvedVersion: NullableText("The version in which it is resolved; null where none was named."),
  mutedUntil: NullableTimestamp("Until when it is muted; null with the state muted means until somebody opens it."),
  reopenedAt: NullableTimestamp("When it last came back by itself."),
  reopenedVersion: NullableText("The version in which it came back."),
  eventCount: Type.Integer({ description: "How often it has occurred." }),
  installCount: Type.Integer({
    description: "How many installs it has affected; reports without an installId count for none.",
  }),
  firstSeenAt: Timestamp("When it first occurred."),
  lastSeenAt: Timestamp("When it last occurred."),
  lastVersion: NullableText("The app's version in its latest occurrence that named one."),
  lastEventId: Uuid("The event of its latest occurrence."),
  cardCount: Type.Integer({ description: "How many cards it has on boards." }),
} as const;

/** A problem as lists show it. */
export const ProblemSummary = Type.Object(problemFields, {
  description: "A problem: reports that are about one thing.",
});
export type ProblemSummary = Type.Static<typeof ProblemSummary>;

/** An event as lists show it. */
export const EventSummary = Type.Object(
  {
    id: Uuid("The event."),
    appId: Uuid("The app."),
    problemId: NullableUuid("The problem that it is an occurrence of; null for a single report."),
    kind: Type.Enum([...reportKinds]),
    title: Type.String({ description: "Its title, its error, or the first line of its message; else its kind." }),
    message: Type.String({ description: "The start of the reporter's message, at most 300 characters." }),
    environment: NullableText("The app's environment."),
    version: NullableText("The app's version, else its release."),
    user: NullableText("The user's name, e-mail address or id, whichever comes first."),
    attachmentCount: Type.Integer({ description: "How many attachments were sent with it." }),
    receivedAt: Timestamp("When it was accepted."),
  },
  { description: "An event." },
);
export type EventSummary = Type.Static<typeof EventSummary>;

/** What the inbox of an app shows: all that are given must hold. */
export const InboxFilter = Type.Object(
  {
    order: Type.Optional(Type.Enum([...inboxOrders], { description: "Default newest: the latest occurrence first." })),
    show: Type.Optional(
      Type.Enum(["all", "problems", "reports"], {
        description: "Default all: problems, and reports that belong to none.",
      }),
    ),
    state: Type.Optional(
      Type.Enum([...problemStates, "any"], {
        description:
          "Problems in this state, default open. Single reports have none: they are shown with open and any.",
      }),
    ),
    kind: Type.Optional(Type.Enum([...reportKinds])),
    environment: Type.Optional(Text({ maxLength: facetLengthMax, description: "Seen in this environment." })),
    version: Type.Optional(Text({ maxLength: facetLengthMax, description: "Seen in this version of the app." })),
    tag: Type.Optional(Text({ maxLength: facetLengthMax, description: "Seen with this tag, as `name=value`." })),
    attachments: Type.Optional(Type.Literal("true", { description: "Only what came with attachments." })),
    from: Type.Optional(Timestamp("Last seen at this time or later.")),
    until: Type.Optional(Timestamp("First seen before this time.")),
    text: Type.Optional(
      Text({
        minLength: searchLengthMin,
        maxLength: searchLengthMax,
        description:
          "Part of a title, a message (of its first 2,000 characters) or an error, in any letter case. Of a problem the " +
          "texts of its occurrences are searched, of which it keeps some 50 that differ.",
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
  { entries: Type.Array(InboxEntry, { description: "In the order that was asked for, at most 50." }), nextCursor },
  { description: "Problems and single reports of an app." },
);
export type InboxPage = Type.Static<typeof InboxPage>;

const Count = Type.Object({
  value: Type.String({ description: "What was seen." }),
  eventCount: Type.Integer({ description: "In how many events." }),
  firstSeenAt: Timestamp("When first."),
  lastSeenAt: Timestamp("When last."),
});

/** What an inbox can be filtered by. */
export const InboxChoices = Type.Object(
  {
    environments: Type.Array(Count, { description: "The latest first, at most 200." }),
    versions: Type.Array(Count, { description: "The latest first, at most 200." }),
    tags: Type.Array(Count, { description: "As `name=value`, the most frequent first, at most 200." }),
  },
  { description: "What the events of an app have named." },
);
export type InboxChoices = Type.Static<typeof InboxChoices>;

const Buckets = Type.Array(Type.Object({ at: Timestamp("Its start."), eventCount: Type.Integer() }), {
  description: "Without gaps, the oldest first.",
});

/** How many events came when. */
export const Histogram = Type.Object(
  { bucketSeconds: Type.Integer({ description: "How long each of them is." }), buckets: Buckets },
  { description: "Events over time." },
);
export type Histogram = Type.Static<typeof Histogram>;

/** The apps of the organisation with what their inboxes hold. */
export const InboxList = Type.Object(
  {
    inboxes: Type.Array(
      Type.Object({
        app: AppSummary,
        openProblemCount: Type.Integer({ description: "Open problems, counted up to 1,000." }),
        lastReceivedAt: NullableTimestamp("When the latest report came that is in the inbox."),
        waitingCount: Type.Integer({
          description: "Reports that were accepted and are not in the inbox yet, counted up to 1,000: normally 0.",
        }),
      }),
      { description: "By name." },
    ),
  },
  { description: "The inboxes of the organisation." },
);
export type InboxList = Type.Static<typeof InboxList>;

/** A card that is about a problem or an event. */
export const ReportCard = Type.Object(
  {
    ticketId: Uuid("The ticket."),
    title: Type.String({ description: "Its title." }),
    boardId: Uuid("The board that it lies on."),
    board: Type.String({ description: "The name of the board." }),
    column: Type.String({ description: "The name of its column." }),
    isDone: Type.Boolean({ description: "Whether it is done." }),
    isArchived: Type.Boolean({ description: "Whether it is archived." }),
    url: Type.String({ description: "The address of the card." }),
  },
  { description: "A card." },
);
export type ReportCard = Type.Static<typeof ReportCard>;

/** The rules by which reports are one problem, in the order in which they are tried. */
export const groupingRules = ["fingerprint", "own_frames", "first_frame", "message"] as const;

/** A problem with all that its page shows. */
export const ProblemDetails = Type.Object(
  {
    ...problemFields,
    app: AppSummary,
    firstEventId: Uuid("The event that it was first seen in; its content may be gone."),
    firstVersion: NullableText("The app's version in its first occurrence that named one."),
    droppedEventCount: Type.Integer({
      description: "How many of its occurrences are counted, and no longer kept: their retention is over.",
    }),
    hashes: Type.Array(
      Type.Object({
        hash: Uuid("What occurrences are recognised by; a merged problem has several, and each can be split off."),
        rule: Type.Enum([...groupingRules], { description: "Which rule made it." }),
        ruleVersion: Type.Integer({ description: "The version of the rules." }),
        strings: Type.Array(Type.String(), { description: "Exactly what was hashed." }),
        eventCount: Type.Integer({ description: "How often it has occurred." }),
        lastSeenAt: Timestamp("When last."),
      }),
      { description: "Why it is this problem, the most frequent first, at most 100." },
    ),
    versions: Type.Array(Count, { description: "The latest first, at most 100." }),
    environments: Type.Array(Count, { description: "The most frequent first, at most 100." }),
    tags: Type.Array(Count, { description: "As `name=value`, the most frequent first, at most 100." }),
    histogram: Histogram,
    cards: Type.Array(ReportCard, { description: "Its cards." }),
    url: Type.String({ description: "The address of its page." }),
  },
  { description: "A problem." },
);
export type ProblemDetails = Type.Static<typeof ProblemDetails>;

/** From where on to read the events of a problem. */
export const EventQuery = Type.Object({ cursor }, closed);
export type EventQuery = Type.Static<typeof EventQuery>;

/** A page of the events of a problem. */
export const EventPage = Type.Object(
  { events: Type.Array(EventSummary, { description: "The latest first, at most 50." }), nextCursor },
  { description: "Occurrences of a problem." },
);
export type EventPage = Type.Static<typeof EventPage>;

/** A frame of a stack. */
export const Frame = Type.Object(
  {
    raw: Type.String({ description: "The line as it was sent." }),
    function: NullableText("The function's name; null where there is none."),
    file: NullableText("The file or address as it was sent; null for native code."),
    line: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "From 1." }),
    column: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "From 1." }),
    isOwn: Type.Boolean({ description: "Whether it is the app's own, and no library's or the platform's." }),
    isMapped: Type.Boolean({
      description: "Whether function, file, line and column are those of the source, as a source map has told them.",
    }),
  },
  { description: "A frame." },
);
export type Frame = Type.Static<typeof Frame>;

/**
 * An event with all that its page shows. Whatever is text was sent by a stranger, and is shown as text: characters that
 * cannot be (NUL, unpaired surrogates) are replaced; the raw envelope keeps them.
 */
export const EventDetails = Type.Object(
  {
    id: Uuid("The event."),
    app: AppSummary,
    problem: Type.Union([ProblemSummary, Type.Null()], { description: "The problem that it is an occurrence of." }),
    reportId: Type.String({ description: "What the app calls it." }),
    kind: Type.Enum([...reportKinds]),
    title: Type.String({ description: "Its title, its error, or the first line of its message; else its kind." }),
    message: Type.String({ description: "What the reporter wrote." }),
    receivedAt: Timestamp("When it was accepted."),
    occurredAt: NullableText("When it happened, as the reporter's clock had it (RFC 3339)."),
    installId: NullableText("The installation that sent it."),
    user: Type.Record(Type.String(), Type.String(), {
      description: "`id`, `email` and `name`, as far as they were sent.",
    }),
    appFields: Type.Record(Type.String(), Type.String(), {
      description: "`version`, `build`, `environment` and `release`, as far as they were sent.",
    }),
    device: Type.Record(Type.String(), Type.String(), {
      description: "`model`, `os`, `osVersion`, `locale`, `screen` and `userAgent`, as far as they were sent.",
    }),
    sdk: NullableText("Name and version of the SDK."),
    fingerprint: Type.Array(Type.String(), { description: "What the app wants it to be grouped by." }),
    error: Type.Union(
      [
        Type.Object({
          type: Type.String(),
          message: Type.String(),
          stack: NullableText("As it was sent; of a longer one the first 256 KiB."),
          frames: Type.Array(Frame, { description: "The innermost first, at most 200." }),
          frameCount: Type.Integer({ description: "How many there are in what is shown of the stack." }),
        }),
        Type.Null(),
      ],
      { description: "The error." },
    ),
    breadcrumbs: Type.Array(
      Type.Object({
        at: Type.String({ description: "When, on the reporter's clock (RFC 3339)." }),
        category: Type.String(),
        message: Type.String(),
        level: NullableText("Its level."),
        data: Type.Unknown({ description: "Anything JSON; null where there is none." }),
      }),
      { description: "What led up to it, the oldest first, at most 200." },
    ),
    tags: Type.Record(Type.String(), Type.String()),
    context: Type.Unknown({ description: "Anything JSON; null where there is none." }),
    isCut: Type.Boolean({
      description:
        "Whether the envelope has more than 256 KiB: then `context` and the `data` of breadcrumbs are left out, and texts " +
        "are cut. All of it is at `envelopeUrl`.",
    }),
    dropped: Type.Array(
      Type.Object({
        partName: Type.String(),
        reason: Type.String(),
        byteLength: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
      }),
      { description: "What the SDK left out before sending, at most 100." },
    ),
    attachments: Type.Array(
      Type.Object({
        position: Type.Integer({ description: "Its place in the envelope's attachments, from 0." }),
        partName: Type.String(),
        filename: NullableText("What to call it."),
        contentType: NullableText("Its media type, as it was declared."),
        kind: NullableText("screenshot, log, recording or other."),
        byteLength: Type.Integer(),
        preview: Type.Unsafe<"image" | "text" | null>({
          enum: ["image", "text", null],
          description:
            "How it may be shown: `image` (PNG, JPEG, GIF, WebP or AVIF by its declared type) as the source of an img, " +
            "`text` by fetching it and showing it as text, null not at all.",
        }),
        url: NullableText(
          "Where its bytes are, for 7 days: of the dashboard's own origin, with range requests, as a download under a " +
            "sandbox, so that it can be the source of an img, be fetched, and be a link. Null once its retention is over.",
        ),
      }),
      { description: "What was sent with it." },
    ),
    envelopeUrl: Type.String({
      description: "Where the raw envelope is, byte for byte; the same as an attachment's url.",
    }),
    cards: Type.Array(ReportCard, {
      description: "The cards that were made of this event alone; those of its problem are the problem's.",
    }),
    threadId: NullableUuid(
      "Its thread, to read and answer with the operations of threads; null where replies were off.",
    ),
    newerEventId: NullableUuid("The next newer occurrence of the problem."),
    olderEventId: NullableUuid("The next older occurrence of the problem."),
    url: Type.String({ description: "The address of its page: `{base}/events/{id}`." }),
  },
  { description: "An event." },
);
export type EventDetails = Type.Static<typeof EventDetails>;

/**
 * Where `/events/{id}` leads, in any organisation of the person's. Where `organisationId` is not the current one, switch
 * first.
 */
export const EventPlace = Type.Object(
  {
    organisationId: Uuid("The organisation."),
    appId: Uuid("The app."),
    problemId: NullableUuid("The problem that it is an occurrence of."),
  },
  { description: "Where an event is." },
);
export type EventPlace = Type.Static<typeof EventPlace>;

/** What becomes of a problem. */
export const ChangeProblem = Type.Object(
  {
    state: Type.Enum([...problemStates]),
    version: Type.Optional(
      Text({
        minLength: 1,
        maxLength: facetLengthMax,
        description:
          "With resolved: it is open again when it occurs in a newer version. Default the newest that the app has named; " +
          "where it has named none, it is open again when it occurs at all.",
      }),
    ),
    until: Type.Optional(Timestamp("With muted: when it is open again. Default: when somebody opens it.")),
  },
  { ...closed, description: "What becomes of a problem." },
);
export type ChangeProblem = Type.Static<typeof ChangeProblem>;

/** Problems to make part of another. */
export const MergeProblems = Type.Object(
  { problemIds: Type.Array(Uuid("A problem of the same app."), { minItems: 1, maxItems: 50 }) },
  { ...closed, description: "Problems that are the same." },
);
export type MergeProblems = Type.Static<typeof MergeProblems>;

/** What to split off a problem. */
export const SplitProblem = Type.Object(
  { hashes: Type.Array(Uuid("One of its hashes."), { minItems: 1, maxItems: 100 }) },
  { ...closed, description: "Hashes that are another problem." },
);
export type SplitProblem = Type.Static<typeof SplitProblem>;

/** Where a card goes. */
export const MakeReportCard = Type.Object(
  { columnId: Uuid("The column, of any board of the organisation; the card goes on top.") },
  { ...closed, description: "Where a card goes." },
);
export type MakeReportCard = Type.Static<typeof MakeReportCard>;

/** What a card is about. */
export const TicketReport = Type.Object(
  {
    problem: Type.Union([ProblemSummary, Type.Null()], {
      description: "Its problem; null where it is about one report.",
    }),
    eventId: NullableUuid("The report that it is about, or the latest of its problem."),
    frames: Type.Array(Frame, { description: "The stack of that report, the innermost first, at most 50." }),
    pictures: Type.Array(
      Type.Object({
        eventId: Uuid("The event that it came with."),
        filename: Type.String({ description: "What to call it." }),
        byteLength: Type.Integer(),
        url: Type.String({ description: "Where its bytes are: see an event's attachments." }),
      }),
      { description: "The pictures of the first reports that have any, at most 5." },
    ),
  },
  { description: "What a card is about." },
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
  summary: "List the apps with what their inboxes hold",
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
  summary: "Show problems and single reports of an app",
  description:
    "A report is in the inbox within a second of its acceptance, or, where very many come at once, within a minute.",
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
  summary: "List what an inbox can be filtered by",
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
      days: Type.Optional(Type.Enum(["1", "7", "30"], { description: "How far back, default 7." })),
    },
    closed,
  ),
  answers: { 200: Histogram },
  errors: ["app_not_found"],
  summary: "Count the events of an app over time",
  description:
    "By the hour for one day, by 6 hours for 7, by the day for 30. Of the filters of the inbox only the kind applies.",
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
  summary: "Show a problem",
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
  summary: "List the occurrences of a problem",
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
  summary: "Show an event",
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
  summary: "Say where the address of an event leads",
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
  summary: "Resolve, mute or open a problem",
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
  summary: "Make other problems part of a problem",
  description: "Its state stays; the others are gone, and their cards are its own.",
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
  summary: "Make some of a problem's hashes a problem of its own",
  description: "Answers the new problem, which is open. At least one hash stays.",
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
  summary: "Make a card of a problem",
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
  summary: "Make a card of an event, or of its problem where it has one",
});

export const getTicketReport = dashboard({
  id: "getTicketReport",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/report",
  role: "member",
  params: pathId("ticketId", "ticket_not_found", "The ticket."),
  answers: { 200: TicketReport },
  errors: ["ticket_not_found"],
  summary: "Show what a card is about",
  description: "Of a ticket that was filed for no report everything is null or empty.",
  staleAfter: ["problem.occurred", "problem.changed", "board.changed"],
});
