import Type from "typebox";
import { descriptionLengthMax, idempotencyKeyLengthMax, titleLengthMax } from "./limits.ts";
import { apiToken, operation } from "./operation.ts";
import { NullableDate, NullableUuid, Text, Timestamp, Uuid } from "./text.ts";

/** How urgent a ticket is (interface section 2.2). */
export const priorities = ["none", "low", "medium", "high"] as const;

/** Body of `POST /api/v1/tickets` (interface section 2.2). Lengths count Unicode code points. */
export const FileTicket = Type.Object(
  {
    title: Text({ minLength: 1, maxLength: titleLengthMax, description: "What the card says, in plain text." }),
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
  },
  { description: "A ticket as it was filed." },
);
export type Ticket = Type.Static<typeof Ticket>;

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
  answers: { 201: Ticket },
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
  description: "Files a card onto a board. The author is the name of the API token.",
});
