import Type from "typebox";
import {
  commentLengthMax,
  descriptionLengthMax,
  idempotencyKeyLengthMax,
  labelLengthMax,
  labelsMax,
  problemLengthMax,
  searchLengthMax,
  titleLengthMax,
} from "./limits.ts";
import { apiToken, operation, pathTicket } from "./operation.ts";
import {
  Moment,
  NameText,
  NullableDate,
  NullableText,
  NullableTimestamp,
  NullableUuid,
  PageLimit,
  Text,
  Timestamp,
  Uuid,
  VisibleText,
} from "./text.ts";

/** How urgent a ticket is (interface section 2.2). */
export const priorities = ["none", "low", "medium", "high"] as const;

/** The name of a label that Lodge creates. */
export const LabelName = NameText({
  maxLength: labelLengthMax,
  description: "The name of a label. Lodge creates it if it does not exist.",
});

/** The labels of a ticket (contract section 8). */
export const Labels = Type.Array(LabelName, { maxItems: labelsMax, description: "The labels." });

/** Body of `POST /api/v1/tickets` (interface section 2.2; contract section 8). Lengths count Unicode code points. */
export const FileTicket = Type.Object(
  {
    title: VisibleText({ maxLength: titleLengthMax, description: "The title, in plain text. Must not be blank." }),
    description: Type.Optional(Text({ maxLength: descriptionLengthMax, description: "The description, in Markdown." })),
    projectId: Type.Optional(Uuid("Defaults to the token's project, if it has access to only one.")),
    boardId: Type.Optional(Uuid("Defaults to the project's first board.")),
    columnId: Type.Optional(Uuid("Defaults to the board's leftmost column.")),
    priority: Type.Optional(Type.Enum([...priorities], { description: "Defaults to none." })),
    assigneeUserId: Type.Optional(NullableUuid("The member to assign. Assigning the AI agent starts a run.")),
    agentRepositoryId: Type.Optional(
      NullableUuid("The repository that the agent works on: one of the project's repositories."),
    ),
    startsAt: Type.Optional(NullableDate("The start date.")),
    dueAt: Type.Optional(NullableDate("The due date. Must not be before startsAt.")),
    labels: Type.Optional(Labels),
    problem: Type.Optional(
      VisibleText({
        maxLength: problemLengthMax,
        description:
          "Identifies the problem. While the project has an open ticket with the same problem, the request adds an occurrence to it.",
      }),
    ),
    resolved: Type.Optional(
      Type.Boolean({
        description:
          "Only with `problem`: the problem is resolved. The request moves its open ticket to the done column and files no ticket.",
      }),
    ),
  },
  { additionalProperties: false, description: "The ticket to file." },
);
export type FileTicket = Type.Static<typeof FileTicket>;

/** The response of `POST /api/v1/tickets`, status 201 (interface section 2.3). Later versions may add fields. */
export const FiledTicket = Type.Object(
  {
    id: Uuid("The ticket."),
    title: Type.String({ description: "The title, as sent." }),
    projectId: Uuid("The ticket's project."),
    boardId: Uuid("The ticket's board."),
    columnId: Uuid("The ticket's column."),
    createdAt: Timestamp("When the ticket was filed."),
    url: Type.String({ description: "The URL of the ticket in the dashboard." }),
    occurrence: Type.Optional(
      Type.Integer({ description: "Only with `problem`: the number of this occurrence, from 1." }),
    ),
    previousId: Type.Optional(
      NullableUuid(
        "Only with `problem`: the problem's previous ticket, which is done or archived. Null if there is none.",
      ),
    ),
  },
  { description: "The ticket as it was filed." },
);
export type FiledTicket = Type.Static<typeof FiledTicket>;

/**
 * The response of `POST /api/v1/tickets` with `resolved`, status 200, if the problem has no open ticket. Its `id` is described
 * as nullable text, because `openapi-fetch` drops fields whose only type is null.
 */
export const NothingToResolve = Type.Object(
  { id: Type.Unsafe<null>({ type: ["string", "null"], description: "Always null." }) },
  { description: "The problem has no open ticket, so there is nothing to resolve." },
);

/** The response of `POST /api/v1/tickets`, status 200 (contract section 8): the open ticket of the problem. */
export const Occurrence = Type.Union([FiledTicket, NothingToResolve], {
  description:
    "The problem's open ticket, or the ticket that the request resolved. `NothingToResolve` is only returned with `resolved`.",
});
export type Occurrence = Type.Static<typeof Occurrence>;

/** `POST /api/v1/tickets` (interface section 4.1), its checks in the order of contract section 2. */
export const fileTicket = operation({
  id: "fileTicket",
  method: "POST",
  path: "/api/v1/tickets",
  door: "api",
  credential: apiToken("tickets:write"),
  headers: Type.Object({
    "idempotency-key": Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: idempotencyKeyLengthMax,
        description:
          "A request with a key that was already used returns the original response, even if its body differs. Keys are scoped to the token and do not expire.",
      }),
    ),
  }),
  body: FileTicket,
  answers: { 201: FiledTicket, 200: Occurrence },
  errors: [
    "invalid_idempotency_key",
    "project_required",
    "project_not_found",
    "board_not_found",
    "column_not_found",
    "invalid_date_range",
    "not_a_member",
    "invalid_agent_repository",
  ],
  summary: "File a ticket",
  description:
    "Files a ticket onto a board. The author is the name of the API token. If the project has an open ticket with the same `problem`, the request adds an occurrence to that ticket and returns it with status 200.",
});

const PlaceName = (what: string) => Type.Object({ id: Uuid(what), name: Type.String({ description: "The name." }) });

/** The author of a ticket or of a comment. */
export const Author = Type.Object(
  {
    kind: Type.Enum(["token", "person", "agent", "app"], {
      description: "An API token, a person, the organisation's AI agent, or the app that sent the report.",
    }),
    name: Type.String({ description: "The author's name at the time." }),
  },
  { description: "The author." },
);

const TicketRun = Type.Object({
  state: Type.String({ description: "The state of the run." }),
  heldReason: NullableText("Why the run is held."),
  reason: NullableText("Why the run is held, failed or was cancelled."),
  branch: NullableText("The branch that the run pushed."),
  pullRequestUrl: NullableText("The URL of the run's pull request."),
  pullRequestError: NullableText("Why the forge refused the pull request, in its words. Null if it did not."),
  createdAt: Timestamp("When the agent was assigned."),
  endedAt: NullableTimestamp("When it ended."),
});

/** A ticket as it is now (contract section 8). Later versions may add fields. */
export const Ticket = Type.Object(
  {
    ...Type.Pick(FiledTicket, ["id", "title", "projectId", "boardId", "columnId", "createdAt", "url"]).properties,
    number: NullableText("The ticket's number, like WEB-214. Null for at most 5 seconds after the ticket was filed."),
    description: Type.String({ description: "The description, in Markdown." }),
    priority: Type.Enum([...priorities], { description: "The priority." }),
    labels: Type.Array(Type.String(), { description: "The labels." }),
    assigneeUserId: NullableUuid("The assigned member."),
    agentRepositoryId: NullableUuid("The repository that the agent works on."),
    startsAt: NullableDate("The start date."),
    dueAt: NullableDate("The due date."),
    author: Author,
    updatedAt: Timestamp(
      "When the ticket, its comments or its attachments last changed. Further occurrences change it at most once an hour.",
    ),
    doneAt: NullableTimestamp("When the ticket was completed. Null if it is not done."),
    archivedAt: NullableTimestamp("When the ticket was archived. Null if it is not."),
    problem: NullableText("The problem, as named by the author."),
    occurrences: Type.Integer({
      description: "The number of occurrences of the problem while the ticket was open. 1 if it has no problem.",
    }),
    lastOccurredAt: NullableTimestamp("When the problem last occurred. Null if the ticket has no problem."),
    previousId: NullableUuid("The previous ticket with the same problem. Null if there is none."),
    run: Type.Union([TicketRun, Type.Null()], { description: "The agent's latest run on the ticket." }),
    commentCount: Type.Integer({ description: "The number of comments." }),
    project: PlaceName("The ticket's project."),
    board: PlaceName("The ticket's board."),
    column: Type.Object({
      ...PlaceName("The ticket's current column.").properties,
      isDone: Type.Boolean({ description: "Whether this is the board's done column." }),
    }),
    assignee: Type.Union(
      [
        Type.Object({
          id: Uuid("The user."),
          name: Type.String({ description: "The name." }),
          kind: Type.Enum(["person", "agent"], { description: "A person, or the organisation's AI agent." }),
        }),
        Type.Null(),
      ],
      { description: "The assignee." },
    ),
  },
  { description: "The current state of a ticket." },
);
export type Ticket = Type.Static<typeof Ticket>;

const ticketPath = pathTicket("The ticket's id or number, ignoring case.");

/** `GET /api/v1/tickets/{ticket}` (contract section 8): a ticket that the token has no access to gets the same response as one that does not exist. */
export const readTicket = operation({
  id: "readTicket",
  method: "GET",
  path: "/api/v1/tickets/{ticket}",
  door: "api",
  credential: apiToken("tickets:read"),
  params: ticketPath,
  answers: { 200: Ticket },
  errors: ["ticket_not_found"],
  summary: "Get a ticket",
  description:
    "Returns the ticket with its current column and the agent's latest run. The `ETag` changes whenever a field changes that `updateTicket` can set.",
});

const idempotencyKey = {
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: idempotencyKeyLengthMax,
      description:
        "A request with a key that was already used returns the original response, even if its body differs. Keys are scoped to the token, the operation and the ticket, and do not expire.",
    }),
  ),
};

/** Body of `PATCH /api/v1/tickets/{ticket}` (contract section 8). */
export const UpdateTicket = Type.Object(
  {
    ...Type.Partial(Type.Omit(FileTicket, ["projectId", "boardId", "columnId", "problem", "resolved"])).properties,
    addLabels: Type.Optional(Labels),
    removeLabels: Type.Optional(Labels),
    boardId: Type.Optional(Uuid("A board of the ticket's project. The ticket moves to the board's leftmost column.")),
    columnId: Type.Optional(Uuid("A column of `boardId`, or else of the ticket's board.")),
    position: Type.Optional(
      Type.Enum(["top", "bottom"], {
        description: "The place in the column. Defaults to the top for tickets that change columns.",
      }),
    ),
    done: Type.Optional(
      Type.Boolean({
        description:
          "True moves the ticket to its board's done column, or to the last column if there is no done column. If the board has only one column, the ticket is archived. False moves it to the leftmost column.",
      }),
    ),
    archived: Type.Optional(
      Type.Boolean({ description: "Whether the ticket is archived. Boards do not show archived tickets." }),
    ),
  },
  { additionalProperties: false, description: "The fields to change. Omitted fields stay as they are." },
);
export type UpdateTicket = Type.Static<typeof UpdateTicket>;

/** `PATCH /api/v1/tickets/{ticket}` (contract section 8). */
export const updateTicket = operation({
  id: "updateTicket",
  method: "PATCH",
  path: "/api/v1/tickets/{ticket}",
  door: "api",
  credential: apiToken("tickets:edit"),
  params: ticketPath,
  headers: Type.Object({
    "if-match": Type.Optional(
      Type.String({
        description:
          "The `ETag` of an earlier response. If the ticket has changed since, the request fails with `ticket_changed`.",
      }),
    ),
    ...idempotencyKey,
  }),
  body: UpdateTicket,
  answers: { 200: Ticket },
  errors: [
    "invalid_idempotency_key",
    "ticket_not_found",
    "ticket_changed",
    "board_not_found",
    "column_not_found",
    "invalid_date_range",
    "not_a_member",
    "invalid_agent_repository",
  ],
  summary: "Update a ticket",
  description:
    "Edits, moves, completes or archives a ticket in one request. The ticket's history shows the token's name. An empty body changes nothing.",
});

/** `POST /api/v1/tickets/{ticket}/pull-request` (contract section 8). */
export const retryTicketPullRequest = operation({
  id: "retryTicketPullRequest",
  method: "POST",
  path: "/api/v1/tickets/{ticket}/pull-request",
  door: "api",
  credential: apiToken("tickets:edit"),
  params: ticketPath,
  headers: Type.Object(idempotencyKey),
  answers: { 200: Ticket },
  errors: ["invalid_idempotency_key", "ticket_not_found", "pull_request_not_refused"],
  summary: "Retry opening a pull request",
  description:
    "Only works if the forge refused the pull request of the ticket's latest run; `run.pullRequestError` says why. A runner retries within about a minute.",
});

/** A comment on a ticket (contract section 8). */
export const TicketComment = Type.Object(
  {
    id: Uuid("The comment."),
    ticketId: Uuid("The ticket."),
    text: Type.String({ description: "The text, in Markdown." }),
    author: Author,
    createdAt: Timestamp("When the comment was written."),
    url: Type.String({ description: "The URL of the ticket in the dashboard." }),
  },
  { description: "A comment on a ticket." },
);
export type TicketComment = Type.Static<typeof TicketComment>;

/** Body of `POST /api/v1/tickets/{ticket}/comments`. */
export const CommentOnTicket = Type.Object(
  { text: VisibleText({ maxLength: commentLengthMax, description: "The text, in Markdown. Must not be blank." }) },
  { additionalProperties: false, description: "The comment to write." },
);
export type CommentOnTicket = Type.Static<typeof CommentOnTicket>;

/** `POST /api/v1/tickets/{ticket}/comments` (contract section 8). */
export const commentOnTicket = operation({
  id: "commentOnTicket",
  method: "POST",
  path: "/api/v1/tickets/{ticket}/comments",
  door: "api",
  credential: apiToken("tickets:edit"),
  params: ticketPath,
  headers: Type.Object(idempotencyKey),
  body: CommentOnTicket,
  answers: { 201: TicketComment },
  errors: ["invalid_idempotency_key", "ticket_not_found"],
  summary: "Comment on a ticket",
  description: "The author is the name of the token. Everybody who follows the ticket gets a notification.",
});

const paging = {
  limit: Type.Optional(PageLimit("The page size, 1 to 100. Defaults to 50.")),
  cursor: Type.Optional(Text({ minLength: 1, maxLength: 500, description: "The `next` of the previous page." })),
};
const next = NullableText("The `cursor` for the next page. Null on the last page.");

/** `GET /api/v1/tickets/{ticket}/comments` (contract section 8). */
export const readComments = operation({
  id: "readComments",
  method: "GET",
  path: "/api/v1/tickets/{ticket}/comments",
  door: "api",
  credential: apiToken("tickets:read"),
  params: ticketPath,
  query: Type.Object(paging, { additionalProperties: false }),
  answers: {
    200: Type.Object(
      { comments: Type.Array(TicketComment, { description: "The comments, oldest first." }), next },
      { description: "Comments on a ticket." },
    ),
  },
  errors: ["ticket_not_found"],
  summary: "List the comments on a ticket",
});

/** The states to filter tickets by. */
export const ticketStates = ["open", "done", "archived", "all"] as const;
/** The orders of tickets. */
export const ticketSorts = ["createdAt", "updatedAt", "dueAt", "priority"] as const;

/** The filters of `GET /api/v1/tickets` (contract section 8). Tickets must match all given filters. */
export const TicketQuery = Type.Object(
  {
    projectId: Type.Optional(Uuid("The project.")),
    boardId: Type.Optional(Uuid("The board.")),
    columnId: Type.Optional(Uuid("The column.")),
    state: Type.Optional(
      Type.Enum([...ticketStates], {
        description: "`open`: neither done nor archived. `done`: done, but not archived. Defaults to `open`.",
      }),
    ),
    q: Type.Optional(
      VisibleText({
        maxLength: searchLengthMax,
        description: "Part of the title or description, or the ticket's number.",
      }),
    ),
    label: Type.Optional(Text({ minLength: 1, maxLength: labelLengthMax, description: "A label." })),
    assigneeUserId: Type.Optional(Uuid("The assigned member.")),
    priority: Type.Optional(Type.Enum([...priorities], { description: "The priority." })),
    problem: Type.Optional(Text({ minLength: 1, maxLength: problemLengthMax, description: "The problem." })),
    updatedSince: Type.Optional(Moment("Only tickets that changed at this time or later.")),
    sort: Type.Optional(
      Type.Enum([...ticketSorts], {
        description:
          "The order: latest first; for `dueAt` earliest first; for `priority` most urgent first. Defaults to `updatedAt`.",
      }),
    ),
    ...paging,
  },
  { additionalProperties: false, description: "Which tickets to list." },
);
export type TicketQuery = Type.Static<typeof TicketQuery>;

/** The response of `GET /api/v1/tickets`. */
export const TicketList = Type.Object(
  { tickets: Type.Array(Ticket, { description: "The tickets." }), next },
  { description: "A page of tickets." },
);
export type TicketList = Type.Static<typeof TicketList>;

/** `GET /api/v1/tickets` (contract section 8). */
export const listTickets = operation({
  id: "listTickets",
  method: "GET",
  path: "/api/v1/tickets",
  door: "api",
  credential: apiToken("tickets:read"),
  query: TicketQuery,
  answers: { 200: TicketList },
  errors: ["project_not_found", "board_not_found", "column_not_found"],
  summary: "List and search tickets",
  description:
    "Returns the tickets of the projects that the token has access to. Sorted by `dueAt`, tickets without a due date come last.",
});

/** `GET /api/v1/labels` (contract section 8). */
export const readLabels = operation({
  id: "readLabels",
  method: "GET",
  path: "/api/v1/labels",
  door: "api",
  credential: apiToken("projects:read"),
  query: Type.Object({ projectId: Type.Optional(Uuid("The project.")) }, { additionalProperties: false }),
  answers: {
    200: Type.Object(
      {
        labels: Type.Array(
          Type.Object({
            name: Type.String({ description: "The name." }),
            color: Type.String({
              description: "The label's color as #rrggbb. Derived from the name unless an admin chose one.",
            }),
            tickets: Type.Integer({ description: "The number of tickets with the label." }),
          }),
          { description: "The labels, sorted by name, at most 1,000." },
        ),
      },
      { description: "The labels of the tickets that the token has access to." },
    ),
  },
  errors: ["project_not_found"],
  summary: "List labels",
});
