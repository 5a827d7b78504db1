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
import { NullableDate, NullableTimestamp, NullableUuid, Text, Timestamp, Uuid, VisibleText } from "./text.ts";

/** How urgent a ticket is (interface section 2.2). */
export const priorities = ["none", "low", "medium", "high"] as const;

/** The labels of a ticket (contract section 8). */
export const Labels = Type.Array(
  VisibleText({
    maxLength: labelLengthMax,
    description: "The name of a label, which is made where it is missing.",
  }),
  { maxItems: labelsMax, description: "What it is labelled with." },
);

/** Body of `POST /api/v1/tickets` (interface section 2.2; contract section 8). Lengths count Unicode code points. */
export const FileTicket = Type.Object(
  {
    title: VisibleText({ maxLength: titleLengthMax, description: "What the card says, in plain text; not blank." }),
    description: Type.Optional(
      Text({ maxLength: descriptionLengthMax, description: "The whole story, in plain text." }),
    ),
    projectId: Type.Optional(Uuid("Defaults to the token's only reachable project.")),
    boardId: Type.Optional(Uuid("Defaults to the project's first board.")),
    columnId: Type.Optional(Uuid("Defaults to the board's leftmost column.")),
    priority: Type.Optional(Type.Enum([...priorities], { description: "Defaults to none." })),
    assigneeUserId: Type.Optional(NullableUuid("A member of the organisation; its AI agent starts a run.")),
    agentRepositoryId: Type.Optional(NullableUuid("A repository bound to the project, for the agent's run.")),
    startsAt: Type.Optional(NullableDate("The day on which work starts.")),
    dueAt: Type.Optional(NullableDate("The day on which it is due; not before startsAt.")),
    labels: Type.Optional(Labels),
    problem: Type.Optional(
      Text({
        minLength: 1,
        maxLength: problemLengthMax,
        description:
          "What it is about. While a ticket of the same problem and project is neither archived nor done, this is an occurrence of that one.",
      }),
    ),
    resolved: Type.Optional(
      Type.Boolean({
        description: "With problem: it is over. Its ticket goes to the done column, and no ticket is filed.",
      }),
    ),
  },
  { additionalProperties: false, description: "A ticket to file." },
);
export type FileTicket = Type.Static<typeof FileTicket>;

/** Answer of `POST /api/v1/tickets`, status 201 (interface section 2.3). Later versions may add fields. */
export const Ticket = Type.Object(
  {
    id: Uuid("The ticket."),
    title: Type.String({ description: "As it was sent." }),
    projectId: Uuid("The project that it was filed in."),
    boardId: Uuid("The board that it was filed on."),
    columnId: Uuid("The column that its card lies in."),
    createdAt: Timestamp("When it was filed."),
    url: Type.String({ description: "The dashboard's address of the card." }),
    occurrence: Type.Optional(
      Type.Integer({ description: "With a problem: the how manieth time it was told of, from 1." }),
    ),
    previousId: Type.Optional(
      NullableUuid(
        "With a problem: its ticket before this one, which was done or archived; null where there was none.",
      ),
    ),
  },
  { description: "A ticket as it was filed." },
);
export type Ticket = Type.Static<typeof Ticket>;

/** Answer of `POST /api/v1/tickets`, status 200 (contract section 8): the ticket that the problem had already. */
export const Occurrence = Type.Union(
  [Ticket, Type.Object({ id: Type.Null({ description: "No ticket of the problem that was resolved is open." }) })],
  { description: "The open ticket of the problem, or the one that was resolved." },
);
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
          "Reusing a key replays the original answer, whatever the body; keys belong to the token and do not expire.",
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
    "Files a card onto a board. The author is the name of the API token. With a problem whose ticket is open, 200 and that ticket.",
});

const PlaceName = (what: string) => Type.Object({ id: Uuid(what), name: Type.String({ description: "Its name." }) });

/** Answer of `GET /api/v1/tickets/{ticketId}` (contract section 8). Later versions may add fields. */
export const ReadTicket = Type.Object(
  {
    ...Type.Pick(Ticket, ["id", "title", "createdAt", "url"]).properties,
    description: Type.String({ description: "Plain text." }),
    priority: Type.Enum([...priorities], { description: "How urgent it is." }),
    project: PlaceName("The project that it is in."),
    board: PlaceName("The board that it is on."),
    column: Type.Object({
      ...PlaceName("The column that its card lies in now.").properties,
      isDone: Type.Boolean({ description: "Whether cards in it are done." }),
    }),
    author: Type.Object(
      {
        kind: Type.Enum(["token", "person", "app"], {
          description: "An API token, a person, or an app of which a report came.",
        }),
        name: Type.String({ description: "The name as it was when the ticket was filed." }),
      },
      { description: "Who filed it." },
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
      { description: "Whose it is." },
    ),
    agentRepositoryId: NullableUuid("The repository that the agent's run works against."),
    startsAt: NullableDate("The day on which work starts."),
    dueAt: NullableDate("The day on which it is due."),
    run: Type.Union(
      [
        Type.Object({
          state: Type.String({ description: "Where the run is (contract section 11)." }),
          heldReason: Type.Union([Type.String(), Type.Null()], { description: "What a held run waits for." }),
          reason: Type.Union([Type.String(), Type.Null()], { description: "Why it is held, failed or was cancelled." }),
          branch: Type.Union([Type.String(), Type.Null()], { description: "The branch that it pushed." }),
          pullRequestUrl: Type.Union([Type.String(), Type.Null()], { description: "The pull request that it opened." }),
          createdAt: Timestamp("When the agent was assigned."),
          endedAt: NullableTimestamp("When it came to its end."),
        }),
        Type.Null(),
      ],
      { description: "The agent's latest run on it." },
    ),
    labels: Type.Array(Type.String(), { description: "What it is labelled with." }),
    problem: Type.Union([Type.String(), Type.Null()], { description: "What it is about, as its author named it." }),
    occurrences: Type.Integer({ description: "How often its problem was told of while it was open; 1 without one." }),
    lastOccurredAt: NullableTimestamp("When its problem was last told of; null without one."),
    previousId: NullableUuid("The ticket of the same problem before it; null where there is none."),
    number: Type.Union([Type.String(), Type.Null()], {
      description: "What people call it, as WEB-214; null until it is given one, within minutes.",
    }),
    doneAt: NullableTimestamp("When it was done; null where it is not."),
    archivedAt: NullableTimestamp("When it was archived; null where it is not."),
  },
  { description: "A ticket as it is now." },
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
  description: "The ticket as it is now, with its column and the agent's latest run.",
});
