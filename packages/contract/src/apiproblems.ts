import Type from "typebox";
import { EventDetails, problemStates } from "./dashboard/inbox.ts";
import { facetLengthMax, idempotencyKeyLengthMax, searchLengthMax } from "./limits.ts";
import { apiToken, operation, pathId } from "./operation.ts";
import { Moment, NullableText, NullableUuid, PageLimit, Slug, Text, Timestamp, Uuid, VisibleText } from "./text.ts";

const paging = {
  limit: Type.Optional(PageLimit("The page size, 1 to 100.")),
  cursor: Type.Optional(Text({ minLength: 1, maxLength: 500, description: "The `next` of the previous page." })),
};
const next = NullableText("The `cursor` for the next page. Null on the last page.");

/** A problem in the API (contract section 8). Later versions may add fields. */
export const Problem = Type.Object(
  {
    id: Uuid("The problem."),
    number: Type.Integer({ description: "The problem's number in the organisation." }),
    app: Slug,
    title: Type.String({ description: "The error's type and message, or the title, of the first event." }),
    type: NullableText("The type of the first error. Null if no event had one."),
    culprit: NullableText("The location: the topmost app frame, as `function (file)`."),
    state: Type.Enum([...problemStates], { description: "The state." }),
    firstSeenAt: Timestamp("When the problem first occurred."),
    lastSeenAt: Timestamp("When the problem last occurred."),
    events: Type.Integer({ description: "The number of events." }),
    users: Type.Integer({ description: "The number of affected users." }),
    versions: Type.Object(
      {
        first: NullableText("The app version of the first event that has one."),
        last: NullableText("The app version of the latest event that has one."),
      },
      { description: "The app versions of its events." },
    ),
    url: Type.String({ description: "The URL of the problem in the dashboard." }),
    ticket: Type.Union(
      [
        Type.Object({
          id: Uuid("The ticket."),
          number: NullableText("The ticket's number, like WEB-214."),
          url: Type.String({ description: "The URL of the ticket in the dashboard." }),
        }),
        Type.Null(),
      ],
      { description: "The problem's newest ticket." },
    ),
  },
  { description: "A problem: a group of events with one cause." },
);
export type Problem = Type.Static<typeof Problem>;

/** The orders of problems, latest or highest first. */
export const problemSorts = ["lastSeenAt", "firstSeenAt", "events", "users"] as const;

/** The filters of `GET /api/v1/problems` (contract section 8). */
export const ProblemQuery = Type.Object(
  {
    app: Type.Optional(Slug),
    state: Type.Optional(Type.Enum([...problemStates, "all"], { description: "The state. Defaults to `open`." })),
    q: Type.Optional(
      VisibleText({
        maxLength: searchLengthMax,
        description:
          "A search, as in the inbox: free text, and terms like `user:`, `file:`, `function:`, `type:`, `version:`, `environment:`, `browser:`, `os:`, `level:`, `is:new`, `is:back` and `tag.NAME:`.",
      }),
    ),
    environment: Type.Optional(Text({ minLength: 1, maxLength: facetLengthMax, description: "An environment." })),
    version: Type.Optional(Text({ minLength: 1, maxLength: facetLengthMax, description: "A version of the app." })),
    sort: Type.Optional(
      Type.Enum([...problemSorts], { description: "The order: latest or highest first. Defaults to `lastSeenAt`." }),
    ),
    ...paging,
  },
  { additionalProperties: false, description: "Which problems to list." },
);
export type ProblemQuery = Type.Static<typeof ProblemQuery>;

/** The response of `GET /api/v1/problems`. */
export const ProblemList = Type.Object(
  { problems: Type.Array(Problem, { description: "The problems." }), next },
  { description: "A page of problems." },
);
export type ProblemList = Type.Static<typeof ProblemList>;

/** `GET /api/v1/problems` (contract section 8). */
export const listProblems = operation({
  id: "listProblems",
  method: "GET",
  path: "/api/v1/problems",
  door: "api",
  credential: apiToken("problems:read"),
  query: ProblemQuery,
  answers: { 200: ProblemList },
  errors: ["app_not_found"],
  summary: "List and search problems",
  description:
    "Returns the problems of all apps of the organisation, even if the token is limited to some projects. 50 per page by default.",
});

const problemPath = pathId("problemId", "problem_not_found", "The problem.");

/** `GET /api/v1/problems/{problemId}` (contract section 8). */
export const readProblem = operation({
  id: "readProblem",
  method: "GET",
  path: "/api/v1/problems/{problemId}",
  door: "api",
  credential: apiToken("problems:read"),
  params: problemPath,
  answers: { 200: Problem },
  errors: ["problem_not_found"],
  summary: "Get a problem",
});

const { app: _, problem: __, cards: ___, threadId: ____, ...shown } = EventDetails.properties;

/** An event of a problem in the API (contract section 8). All texts come from strangers. */
export const ProblemEvent = Type.Object(
  {
    ...shown,
    app: Slug,
    problemId: NullableUuid("The event's problem. Null for a single report."),
  },
  { description: "An event, with its stack mapped through source maps." },
);
export type ProblemEvent = Type.Static<typeof ProblemEvent>;

/** `GET /api/v1/problems/{problemId}/events` (contract section 8). */
export const readProblemEvents = operation({
  id: "readProblemEvents",
  method: "GET",
  path: "/api/v1/problems/{problemId}/events",
  door: "api",
  credential: apiToken("problems:read"),
  params: problemPath,
  query: Type.Object(paging, { additionalProperties: false }),
  answers: {
    200: Type.Object(
      { events: Type.Array(ProblemEvent, { description: "The events, latest first." }), next },
      { description: "A page of the events of a problem." },
    ),
  },
  errors: ["problem_not_found"],
  summary: "List the events of a problem",
  description: "Returns complete events, 10 per page by default.",
});

/** `GET /api/v1/events/{eventId}` (contract section 8). */
export const readEvent = operation({
  id: "readEvent",
  method: "GET",
  path: "/api/v1/events/{eventId}",
  door: "api",
  credential: apiToken("problems:read"),
  params: pathId("eventId", "event_not_found", "The event."),
  answers: { 200: ProblemEvent },
  errors: ["event_not_found"],
  summary: "Get an event",
});

/** Body of `PATCH /api/v1/problems/{problemId}`. */
export const UpdateProblem = Type.Object(
  {
    state: Type.Enum([...problemStates], { description: "The new state." }),
    version: Type.Optional(
      VisibleText({
        maxLength: facetLengthMax,
        description: "Only with `resolved`: the version that has the fix. Defaults to the app's newest version.",
      }),
    ),
    until: Type.Optional(Moment("Only with `muted`: when the problem reopens.")),
  },
  { additionalProperties: false, description: "The new state of the problem." },
);
export type UpdateProblem = Type.Static<typeof UpdateProblem>;

/** `PATCH /api/v1/problems/{problemId}` (contract section 8). */
export const updateProblem = operation({
  id: "updateProblem",
  method: "PATCH",
  path: "/api/v1/problems/{problemId}",
  door: "api",
  credential: apiToken("problems:edit"),
  params: problemPath,
  headers: Type.Object({
    "idempotency-key": Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: idempotencyKeyLengthMax,
        description:
          "A request with a key that was already used returns the original response. Keys are scoped to the token and the problem.",
      }),
    ),
  }),
  body: UpdateProblem,
  answers: { 200: Problem },
  errors: ["invalid_idempotency_key", "problem_not_found"],
  summary: "Resolve, reopen or mute a problem",
});
