import Type from "typebox";
import { bulkTicketsMax, commentLengthMax, descriptionLengthMax, titleLengthMax } from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { runStates } from "../runners.ts";
import { NullableTimestamp, NullableUuid, Position, Text, Timestamp, Uuid, VisibleText } from "../text.ts";
import { FileTicket, priorities } from "../tickets.ts";
import { BoardSummary, Card, ColumnSummary } from "./boards.ts";
import { dashboard } from "./operation.ts";
import { Run } from "./runs.ts";

/** The dashboard's API: tickets, their comments and their history. All of it is for every role. */

const closed = { additionalProperties: false } as const;

/** A ticket with everything that its page shows. */
export const TicketDetails = Type.Intersect([
  Card,
  Type.Object({
    description: Type.String({ description: "The whole story, in plain text." }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: "What it is about, as its author named it; while it is open, the project has no other of it.",
    }),
    previousTicketId: NullableUuid(
      "The ticket of the same problem before it, which was done or archived; it may be gone.",
    ),
    agentRepositoryId: NullableUuid("The repository that the agent's run works on."),
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "Its name." }) }),
    board: BoardSummary,
    column: ColumnSummary,
    run: Type.Union([Run, Type.Null()], { description: "The agent's latest run on it." }),
    url: Type.String({ description: "The address of the card: `{base}/tickets/{id}`." }),
  }),
]);
export type TicketDetails = Type.Static<typeof TicketDetails>;

/**
 * Where a deep link leads, in any organisation of the person's. Where `organisationId` is not the current one, switch
 * first.
 */
export const TicketPlace = Type.Object(
  {
    organisationId: Uuid("The organisation."),
    projectId: Uuid("The project."),
    boardId: Uuid("The board."),
    columnId: Uuid("The column."),
  },
  { description: "Where a ticket is." },
);
export type TicketPlace = Type.Static<typeof TicketPlace>;

/** A card to file on top of a column. */
export const CreateTicket = Type.Object(
  {
    ...Type.Omit(FileTicket, ["projectId", "boardId", "columnId", "problem", "resolved"]).properties,
    columnId: Uuid("Where the card goes."),
  },
  { ...closed, description: "A ticket to file." },
);
export type CreateTicket = Type.Static<typeof CreateTicket>;

const Archived = Type.Boolean({ description: "Whether it is archived: its board no longer shows it." });

/** What to change of a ticket: what is left out stays. Assigning it to the agent queues a run, and taking it away cancels that. */
export const ChangeTicket = Type.Partial(
  Type.Object({
    ...Type.Omit(FileTicket, ["projectId", "boardId", "columnId", "problem", "resolved"]).properties,
    archived: Archived,
    basedOn: Type.Object(
      {
        title: Type.Optional(Text({ maxLength: titleLengthMax, description: "The title as it was then." })),
        description: Type.Optional(
          Text({ maxLength: descriptionLengthMax, description: "The description as it was then." }),
        ),
      },
      {
        ...closed,
        description:
          "The texts that the change was made from. Where one has become another meanwhile it is `text_changed`.",
      },
    ),
  }),
  { ...closed, minProperties: 1, description: "What to change of a ticket." },
);
export type ChangeTicket = Type.Static<typeof ChangeTicket>;

/** What to change of one of many tickets: what is left out stays. */
export const TicketChange = Type.Object(
  {
    ticketId: Uuid("The ticket."),
    columnId: Type.Optional(
      Uuid("The column that it goes into, of any board of its project: on top, in the order of the list."),
    ),
    belowTicketId: Type.Optional(
      NullableUuid(
        "With columnId: the card that it comes to lie directly below, which is none of those that are moved; null, as without it, for on top.",
      ),
    ),
    position: Type.Optional(
      Position("With columnId: its place there, as a card that was changed had it. Used to undo."),
    ),
    archived: Type.Optional(Archived),
    priority: Type.Optional(Type.Enum([...priorities])),
    assigneeUserId: Type.Optional(NullableUuid("A member of the organisation; its AI agent starts a run.")),
    labels: Type.Optional(FileTicket.properties.labels),
  },
  { ...closed, minProperties: 2, description: "What to change of a ticket." },
);
export type TicketChange = Type.Static<typeof TicketChange>;

/** Changes of many tickets, all of which are made or none. */
export const ChangeTickets = Type.Object(
  {
    changes: Type.Array(TicketChange, {
      minItems: 1,
      maxItems: bulkTicketsMax,
      description: "Each ticket once.",
    }),
  },
  { ...closed, description: "What to change of many tickets." },
);
export type ChangeTickets = Type.Static<typeof ChangeTickets>;

/** Many tickets as they have become, and how to take it back. */
export const ChangedTickets = Type.Object(
  {
    cards: Type.Array(Card, { description: "In the order of the request." }),
    undo: Type.Array(TicketChange, {
      description: "The changes that put back what was changed, as the same request takes them.",
    }),
  },
  { description: "Cards as they have become, and what undoes it." },
);
export type ChangedTickets = Type.Static<typeof ChangedTickets>;

/** Tickets to delete, all of which are deleted or none. */
export const DeleteTickets = Type.Object(
  {
    ticketIds: Type.Array(Uuid("A ticket."), { minItems: 1, maxItems: bulkTicketsMax, description: "Which ones." }),
  },
  { ...closed, description: "Tickets to delete for good." },
);
export type DeleteTickets = Type.Static<typeof DeleteTickets>;

/** Where a card goes: directly below another one, or on top. */
export const MoveTicket = Type.Object(
  {
    columnId: Uuid("The column that it goes into, of any board of its project."),
    belowTicketId: NullableUuid("The card that it comes to lie directly below; null for on top."),
  },
  { ...closed, description: "Where a card goes." },
);
export type MoveTicket = Type.Static<typeof MoveTicket>;

/** Who wrote or did something. */
export const Actor = Type.Object(
  {
    kind: Type.Enum(["token", "person", "app", "lodge"], {
      description: "An API token, a person, an app of which a report came, or Lodge itself.",
    }),
    id: NullableUuid("The token, user or app."),
    name: Type.String({ description: "The name as it was then." }),
  },
  { description: "Who did it." },
);
export type Actor = Type.Static<typeof Actor>;

/** A comment on a ticket. */
export const Comment = Type.Object(
  {
    id: Uuid("The comment."),
    author: Actor,
    text: Type.String({ description: "Plain text; a mention stands in it as @ and the person's name." }),
    mentions: Type.Array(
      Type.Object({ id: Uuid("The user."), name: Type.String({ description: "The name as it stands in the text." }) }),
    ),
    createdAt: Timestamp("When it was written."),
    editedAt: NullableTimestamp("When its author last changed it; null where he has not."),
  },
  { description: "A comment." },
);
export type Comment = Type.Static<typeof Comment>;

/** From where on to read comments or history. */
export const PageQuery = Type.Object({ cursor: Type.Optional(Uuid("A `nextCursor` of an earlier answer.")) }, closed);
export type PageQuery = Type.Static<typeof PageQuery>;

/** A page of the comments of a ticket. */
export const CommentPage = Type.Object(
  {
    comments: Type.Array(Comment, { description: "The oldest first, at most 100." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "What to send as `cursor` for those that follow.",
    }),
  },
  { description: "Comments of a ticket." },
);
export type CommentPage = Type.Static<typeof CommentPage>;

/** A comment to write: the text says @ and the name of everybody who is mentioned. */
export const WriteComment = Type.Object(
  {
    text: VisibleText({
      maxLength: commentLengthMax,
      description: "Plain text, with @ and the name where a member is mentioned.",
    }),
    mentionedUserIds: Type.Optional(Type.Array(Uuid("A member."), { maxItems: 50, description: "Who is mentioned." })),
  },
  { ...closed, description: "A comment to write." },
);
export type WriteComment = Type.Static<typeof WriteComment>;

/** The fields of a ticket that its history names. */
export const changedFields = [
  "title",
  "description",
  "priority",
  "assignee",
  "agentRepository",
  "startsAt",
  "dueAt",
  "labels",
] as const;

const Change = Type.Object(
  {
    field: Type.Enum([...changedFields]),
    from: Type.Union([Type.String(), Type.Null()], {
      description: "In words: names, not ids. Null for nothing, and for a description.",
    }),
    to: Type.Union([Type.String(), Type.Null()], {
      description: "In words: names, not ids. Null for nothing, and for a description.",
    }),
  },
  { description: "What a field was, and what it became." },
);

/** An entry of a ticket's history. */
export const Activity = Type.Object(
  {
    id: Uuid("The entry."),
    kind: Type.Enum([
      "ticket.filed",
      "ticket.changed",
      "ticket.moved",
      "ticket.commented",
      "ticket.archived",
      "ticket.restored",
      "ticket.occurred",
      "ticket.resolved",
      "run.changed",
    ]),
    actor: Actor,
    changes: Type.Optional(Type.Array(Change, { description: "With ticket.changed." })),
    from: Type.Optional(
      Type.String({
        description:
          "With ticket.moved and ticket.resolved: the name of the column (of board and column between boards).",
      }),
    ),
    to: Type.Optional(Type.String({ description: "The same of where it went." })),
    commentId: Type.Optional(Uuid("With ticket.commented: the comment.")),
    occurrence: Type.Optional(
      Type.Integer({
        description: "With ticket.occurred, of which there is one an hour at most: how often it was by then.",
      }),
    ),
    previousTicketId: Type.Optional(
      Uuid("With ticket.filed: the ticket of the same problem before, which was done or archived."),
    ),
    runState: Type.Optional(Type.Enum([...runStates], { description: "With run.changed: where the agent's run is." })),
    runReason: Type.Optional(Type.String({ description: "With run.changed: what it waits for, or why it ended." })),
    createdAt: Timestamp("When it happened."),
  },
  { description: "What happened to a ticket, who did it, and when." },
);
export type Activity = Type.Static<typeof Activity>;

/** A page of the history of a ticket. */
export const ActivityPage = Type.Object(
  {
    activities: Type.Array(Activity, {
      description: "The newest first, at most 100. Moves within a column are not among them.",
    }),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: "What to send as `cursor` for those before." }),
  },
  { description: "The history of a ticket." },
);
export type ActivityPage = Type.Static<typeof ActivityPage>;

/** What an entry of a ticket's history made of its texts. */
export const ChangedTexts = Type.Object(
  {
    texts: Type.Array(
      Type.Object({
        field: Type.Enum(["title", "description"]),
        before: Type.String({ description: "What it was." }),
        after: Type.String({ description: "What it became." }),
      }),
      { description: "Each text that was changed." },
    ),
  },
  { description: "Texts before and after a change." },
);
export type ChangedTexts = Type.Static<typeof ChangedTexts>;

/** The labels to choose from. */
export const LabelList = Type.Object(
  { labels: Type.Array(Type.String(), { description: "By name, at most 1,000." }) },
  { description: "The labels that tickets have had." },
);
export type LabelList = Type.Static<typeof LabelList>;

/** Who, besides people, files tickets. */
export const AuthorList = Type.Object(
  {
    authors: Type.Array(
      Type.Object({
        kind: Type.Enum(["token", "app"], { description: "An API token, or an app of which reports come." }),
        id: Uuid("The token or app."),
        name: Type.String({ description: "Its name." }),
      }),
      { description: "Live tokens and apps, by name." },
    ),
  },
  { description: "The tokens and apps that file tickets." },
);
export type AuthorList = Type.Static<typeof AuthorList>;

const commentPath = pathIds({ ticketId: "The ticket.", commentId: "The comment." }, "comment_not_found");
const activityPath = pathIds({ ticketId: "The ticket.", activityId: "The entry." }, "text_not_found");
const ticketPath = pathId("ticketId", "ticket_not_found", "The ticket.");

export const createTicket = dashboard({
  id: "createTicket",
  method: "POST",
  path: "/api/dashboard/tickets",
  role: "member",
  body: CreateTicket,
  answers: { 201: TicketDetails },
  errors: ["column_not_found", "invalid_date_range", "not_a_member", "invalid_agent_repository"],
  summary: "File a ticket as a person",
});

export const getTicket = dashboard({
  id: "getTicket",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}",
  role: "member",
  params: ticketPath,
  answers: { 200: TicketDetails },
  errors: ["ticket_not_found"],
  summary: "Show a ticket",
  staleAfter: [
    "run.changed",
    "ticket.filed",
    "ticket.changed",
    "ticket.moved",
    "ticket.commented",
    "ticket.archived",
    "ticket.restored",
    "ticket.deleted",
    "board.changed",
  ],
});

export const getTicketPlace = dashboard({
  id: "getTicketPlace",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/place",
  role: "signed-in",
  params: ticketPath,
  answers: { 200: TicketPlace },
  errors: ["ticket_not_found"],
  summary: "Say where a deep link leads",
});

export const changeTicket = dashboard({
  id: "changeTicket",
  method: "PATCH",
  path: "/api/dashboard/tickets/{ticketId}",
  role: "member",
  params: ticketPath,
  body: ChangeTicket,
  answers: { 200: TicketDetails },
  errors: ["ticket_not_found", "text_changed", "invalid_date_range", "not_a_member", "invalid_agent_repository"],
  summary: "Change a ticket",
});

export const moveTicket = dashboard({
  id: "moveTicket",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/move",
  role: "member",
  params: ticketPath,
  body: MoveTicket,
  answers: { 200: Card },
  errors: ["ticket_not_found", "column_not_found", "card_moved_away"],
  summary: "Move a card",
  description: "A column of another project is answered as one that does not exist.",
});

export const changeTickets = dashboard({
  id: "changeTickets",
  method: "PATCH",
  path: "/api/dashboard/tickets",
  role: "member",
  body: ChangeTickets,
  answers: { 200: ChangedTickets },
  errors: ["ticket_not_found", "column_not_found", "card_moved_away", "not_a_member"],
  summary: "Change many tickets",
  description: "Moves, archives, restores, labels or assigns up to 100 tickets, all of them or none.",
});

export const deleteTicket = dashboard({
  id: "deleteTicket",
  method: "DELETE",
  path: "/api/dashboard/tickets/{ticketId}",
  role: "member",
  params: ticketPath,
  answers: noContent,
  errors: ["ticket_not_found", "forbidden"],
  summary: "Delete a ticket for good",
  description: "With its comments and history. Owners and admins delete any, a member those that he has filed himself.",
});

export const deleteTickets = dashboard({
  id: "deleteTickets",
  method: "POST",
  path: "/api/dashboard/tickets/delete",
  role: "member",
  body: DeleteTickets,
  answers: noContent,
  errors: ["ticket_not_found", "forbidden"],
  summary: "Delete many tickets for good",
  description: "All of them or none, as `deleteTicket` does one.",
});

export const listComments = dashboard({
  id: "listComments",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/comments",
  role: "member",
  params: ticketPath,
  query: PageQuery,
  answers: { 200: CommentPage },
  errors: ["ticket_not_found"],
  summary: "List the comments on a ticket",
  staleAfter: ["ticket.commented"],
});

export const writeComment = dashboard({
  id: "writeComment",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/comments",
  role: "member",
  params: ticketPath,
  body: WriteComment,
  answers: { 201: Comment },
  errors: ["ticket_not_found", "not_a_member"],
  summary: "Comment on a ticket",
});

export const changeComment = dashboard({
  id: "changeComment",
  method: "PATCH",
  path: "/api/dashboard/tickets/{ticketId}/comments/{commentId}",
  role: "member",
  params: commentPath,
  body: WriteComment,
  answers: { 200: Comment },
  errors: ["comment_not_found", "forbidden", "not_a_member"],
  summary: "Change a comment of one's own",
});

export const deleteComment = dashboard({
  id: "deleteComment",
  method: "DELETE",
  path: "/api/dashboard/tickets/{ticketId}/comments/{commentId}",
  role: "member",
  params: commentPath,
  answers: noContent,
  errors: ["comment_not_found", "forbidden"],
  summary: "Delete a comment",
  description: "One's own; owners and admins anybody's.",
});

export const readTexts = dashboard({
  id: "readTexts",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/activities/{activityId}/texts",
  role: "member",
  params: activityPath,
  answers: { 200: ChangedTexts },
  errors: ["text_not_found"],
  summary: "Show what a change made of a title or description",
  staleAfter: ["board.changed"],
});

export const listLabels = dashboard({
  id: "listLabels",
  method: "GET",
  path: "/api/dashboard/labels",
  role: "member",
  answers: { 200: LabelList },
  errors: [],
  summary: "List the labels that tickets have had",
});

export const listAuthors = dashboard({
  id: "listAuthors",
  method: "GET",
  path: "/api/dashboard/authors",
  role: "member",
  answers: { 200: AuthorList },
  errors: [],
  summary: "List the tokens and apps that file tickets",
  staleAfter: ["tokens.changed"],
});

export const listActivities = dashboard({
  id: "listActivities",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/activities",
  role: "member",
  params: ticketPath,
  query: PageQuery,
  answers: { 200: ActivityPage },
  errors: ["ticket_not_found"],
  summary: "Show the history of a ticket",
  staleAfter: [
    "ticket.filed",
    "ticket.changed",
    "ticket.moved",
    "ticket.commented",
    "ticket.archived",
    "ticket.restored",
    "ticket.deleted",
    "board.changed",
  ],
});
