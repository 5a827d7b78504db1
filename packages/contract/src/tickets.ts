import Type from "typebox";
import {
  descriptionLengthMax,
  idempotencyKeyLengthMax,
  labelLengthMax,
  labelsMax,
  problemLengthMax,
  titleLengthMax,
} from "./limits.ts";
import { apiToken, operation, pathId } from "./operation.ts";
import { NameText, NullableDate, NullableTimestamp, NullableUuid, Text, Timestamp, Uuid, VisibleText } from "./text.ts";

/** How urgent a ticket is (interface section 2.2). */
export const priorities = ["none", "low", "medium", "high"] as const;

/** The labels of a ticket (contract section 8). */
export const Labels = Type.Array(
  NameText({
    maxLength: labelLengthMax,
    description: "The name of a label. Lodge creates it if it does not exist.",
  }),
  { maxItems: labelsMax, description: "The labels." },
);

/** Body of `POST /api/v1/tickets` (interface section 2.2; contract section 8). Lengths count Unicode code points. */
export const FileTicket = Type.Object(
  {
    title: VisibleText({ maxLength: titleLengthMax, description: "The title, in plain text. Must not be blank." }),
    description: Type.Optional(
      Text({ maxLength: descriptionLengthMax, description: "The description, in plain text." }),
    ),
    projectId: Type.Optional(Uuid("Defaults to the token's only reachable project.")),
    boardId: Type.Optional(Uuid("Defaults to the project's first board.")),
    columnId: Type.Optional(Uuid("Defaults to the board's leftmost column.")),
    priority: Type.Optional(Type.Enum([...priorities], { description: "Defaults to none." })),
    assigneeUserId: Type.Optional(NullableUuid("The member to assign. Assigning the AI agent starts a run.")),
    agentRepositoryId: Type.Optional(
      NullableUuid("The repository that the agent works on. Must be bound to the project."),
    ),
    startsAt: Type.Optional(NullableDate("The start date.")),
    dueAt: Type.Optional(NullableDate("The due date. Must not be before startsAt.")),
    labels: Type.Optional(Labels),
    problem: Type.Optional(
      Text({
        minLength: 1,
        maxLength: problemLengthMax,
        description:
          "Identifies the problem. While the project has an open ticket with the same problem, the request adds an occurrence to it.",
      }),
    ),
    resolved: Type.Optional(
      Type.Boolean({
        description:
          "Only with `problem`: the problem is solved. Moves its open ticket to the done column, and files no ticket.",
      }),
    ),
  },
  { additionalProperties: false, description: "The ticket to file." },
);
export type FileTicket = Type.Static<typeof FileTicket>;

/** Answer of `POST /api/v1/tickets`, status 201 (interface section 2.3). Later versions may add fields. */
export const Ticket = Type.Object(
  {
    id: Uuid("The ticket."),
    title: Type.String({ description: "The title, as sent." }),
    projectId: Uuid("The ticket's project."),
    boardId: Uuid("The ticket's board."),
    columnId: Uuid("The ticket's column."),
    createdAt: Timestamp("When the ticket was filed."),
    url: Type.String({ description: "The address of the card in the dashboard." }),
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
export type Ticket = Type.Static<typeof Ticket>;

/**
 * Answer of `POST /api/v1/tickets` with `resolved`, status 200, if no ticket of the problem is open. Its `id` is described
 * as nullable text, because `openapi-fetch` drops fields whose only type is null.
 */
export const NothingToResolve = Type.Object(
  { id: Type.Unsafe<null>({ type: ["string", "null"], description: "Always null." }) },
  { description: "The problem has no open ticket, so there is nothing to resolve." },
);

/** Answer of `POST /api/v1/tickets`, status 200 (contract section 8): the open ticket of the problem. */
export const Occurrence = Type.Union([Ticket, NothingToResolve], {
  description: "The open or the resolved ticket of the problem. `NothingToResolve` is only returned with `resolved`.",
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
          "Reusing a key replays the original answer, whatever the new body. Keys belong to the token and do not expire.",
      }),
    ),
  }),
  body: FileTicket,
  answers: { 201: Ticket, 200: Occurrence },
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
    "Files a card onto a board. The author is the name of the API token. If the problem already has an open ticket, returns that ticket with status 200.",
});

const PlaceName = (what: string) => Type.Object({ id: Uuid(what), name: Type.String({ description: "The name." }) });

/** Answer of `GET /api/v1/tickets/{ticketId}` (contract section 8). Later versions may add fields. */
export const ReadTicket = Type.Object(
  {
    ...Type.Pick(Ticket, ["id", "title", "createdAt", "url"]).properties,
    description: Type.String({ description: "The text, in plain text." }),
    priority: Type.Enum([...priorities], { description: "The priority." }),
    project: PlaceName("The ticket's project."),
    board: PlaceName("The ticket's board."),
    column: Type.Object({
      ...PlaceName("The ticket's current column.").properties,
      isDone: Type.Boolean({ description: "Whether this is the board's done column." }),
    }),
    author: Type.Object(
      {
        kind: Type.Enum(["token", "person", "app"], {
          description: "An API token, a person, or the app that sent the report.",
        }),
        name: Type.String({ description: "The author's name when the ticket was filed." }),
      },
      { description: "The author." },
    ),
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
    agentRepositoryId: NullableUuid("The repository that the agent works on."),
    startsAt: NullableDate("The start date."),
    dueAt: NullableDate("The due date."),
    run: Type.Union(
      [
        Type.Object({
          state: Type.String({ description: "The state of the run (contract section 11)." }),
          heldReason: Type.Union([Type.String(), Type.Null()], { description: "Why the run is held." }),
          reason: Type.Union([Type.String(), Type.Null()], {
            description: "Why the run is held, failed or was cancelled.",
          }),
          branch: Type.Union([Type.String(), Type.Null()], { description: "The branch that the run pushed." }),
          pullRequestUrl: Type.Union([Type.String(), Type.Null()], {
            description: "The address of the run's pull request.",
          }),
          createdAt: Timestamp("When the agent was assigned."),
          endedAt: NullableTimestamp("When it ended."),
        }),
        Type.Null(),
      ],
      { description: "The agent's latest run on the ticket." },
    ),
    labels: Type.Array(Type.String(), { description: "The labels." }),
    problem: Type.Union([Type.String(), Type.Null()], { description: "The problem, as named by the author." }),
    occurrences: Type.Integer({
      description: "The number of occurrences of the problem while the ticket was open. 1 if it has no problem.",
    }),
    lastOccurredAt: NullableTimestamp("When the problem last occurred. Null if the ticket has no problem."),
    previousId: NullableUuid("The previous ticket with the same problem. Null if there is none."),
    number: Type.Union([Type.String(), Type.Null()], {
      description: "The ticket's number, like WEB-214. Null until Lodge assigns one, within minutes.",
    }),
    doneAt: NullableTimestamp("When the ticket was done. Null if it is not."),
    archivedAt: NullableTimestamp("When the ticket was archived. Null if it is not."),
  },
  { description: "The current state of a ticket." },
);
export type ReadTicket = Type.Static<typeof ReadTicket>;

/** `GET /api/v1/tickets/{ticketId}` (contract section 8): what a token does not reach is answered as what does not exist. */
export const readTicket = operation({
  id: "readTicket",
  method: "GET",
  path: "/api/v1/tickets/{ticketId}",
  door: "api",
  credential: apiToken("tickets:read"),
  params: pathId("ticketId", "ticket_not_found", "The ticket."),
  answers: { 200: ReadTicket },
  errors: ["ticket_not_found"],
  summary: "Read a ticket",
  description: "Returns the ticket with its current column and the agent's latest run.",
});
