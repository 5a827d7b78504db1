import Type from "typebox";
import {
  bulkTicketsMax,
  commentLengthMax,
  descriptionLengthMax,
  idempotencyKeyLengthMax,
  titleLengthMax,
} from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { runStates } from "../runners.ts";
import { NullableTimestamp, NullableUuid, Position, Text, Timestamp, Uuid, VisibleText } from "../text.ts";
import { FileTicket, priorities } from "../tickets.ts";
import { BoardSummary, Card, ColumnSummary } from "./boards.ts";
import { dashboard } from "./operation.ts";
import { Run } from "./runs.ts";

/** The dashboard's API for tickets, comments and history. Open to every role. */

const closed = { additionalProperties: false } as const;

/** A ticket with all data of its page. */
export const TicketDetails = Type.Intersect([
  Card,
  Type.Object({
    description: Type.String({ description: "The description, in Markdown." }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: "The problem, as named by the author. A project has at most one open ticket for each problem.",
    }),
    previousTicketId: NullableUuid(
      "The previous ticket with the same problem, which is done or archived. It may have been deleted.",
    ),
    agentRepositoryId: NullableUuid("The repository that the agent works on."),
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "The name." }) }),
    board: BoardSummary,
    column: ColumnSummary,
    run: Type.Union([Run, Type.Null()], { description: "The agent's latest run on the ticket." }),
    url: Type.String({ description: "The URL of the ticket: `{base}/tickets/{id}`." }),
  }),
]);
export type TicketDetails = Type.Static<typeof TicketDetails>;

/** The organisation, project, board and column of a ticket in any of the person's organisations. Switch first if it is not the current organisation. */
export const TicketPlace = Type.Object(
  {
    organisationId: Uuid("The organisation."),
    projectId: Uuid("The project."),
    boardId: Uuid("The board."),
    columnId: Uuid("The column."),
  },
  { description: "The organisation, project, board and column of a ticket." },
);
export type TicketPlace = Type.Static<typeof TicketPlace>;

/** A ticket to file on top of a column. */
export const CreateTicket = Type.Object(
  {
    ...Type.Omit(FileTicket, ["projectId", "boardId", "columnId", "problem", "resolved"]).properties,
    columnId: Uuid("The column to file the ticket in."),
  },
  { ...closed, description: "The ticket to file." },
);
export type CreateTicket = Type.Static<typeof CreateTicket>;

const Archived = Type.Boolean({ description: "Whether the ticket is archived. Boards do not show archived tickets." });

/** The changes to a ticket. Omitted fields stay as they are. Assigning the agent queues a run; unassigning it cancels the run. */
export const ChangeTicket = Type.Partial(
  Type.Object({
    ...Type.Omit(FileTicket, ["projectId", "boardId", "columnId", "problem", "resolved"]).properties,
    archived: Archived,
    basedOn: Type.Object(
      {
        title: Type.Optional(Text({ maxLength: titleLengthMax, description: "The title before the change." })),
        description: Type.Optional(
          Text({ maxLength: descriptionLengthMax, description: "The description before the change." }),
        ),
      },
      {
        ...closed,
        description:
          "The texts that the change is based on. If one has changed since, the request fails with `text_changed`.",
      },
    ),
  }),
  { ...closed, minProperties: 1, description: "The fields to change. Omitted fields stay as they are." },
);
export type ChangeTicket = Type.Static<typeof ChangeTicket>;

const ticketFields = {
  priority: Type.Optional(Type.Enum([...priorities])),
  assigneeUserId: Type.Optional(NullableUuid("The member to assign. Assigning the AI agent starts a run.")),
  labels: Type.Optional(FileTicket.properties.labels),
  startsAt: Type.Optional(FileTicket.properties.startsAt),
  dueAt: Type.Optional(FileTicket.properties.dueAt),
  archived: Type.Optional(Archived),
};

/** The changes to one of many tickets. Omitted fields stay as they are. */
export const TicketChange = Type.Object(
  {
    ticketId: Uuid("The ticket."),
    columnId: Type.Optional(
      Uuid(
        "The column to move the ticket to, on any board of its project. Tickets go on top, in the order of the list.",
      ),
    ),
    belowTicketId: Type.Optional(
      NullableUuid(
        "Only with `columnId`: the ticket to place this one below, which must not be one of the moved tickets. Null, the default, places it on top.",
      ),
    ),
    position: Type.Optional(Position("Only with `columnId`: the previous position of the ticket, to undo a move.")),
    ...ticketFields,
    basedOn: Type.Optional(
      Type.Object(
        {
          ...ticketFields,
          columnId: Type.Optional(Uuid("The column.")),
          position: Type.Optional(Position("The position in the column.")),
        },
        {
          ...closed,
          description:
            "The values that the change is based on. If one has changed since, the request fails with `ticket_changed`.",
        },
      ),
    ),
  },
  { ...closed, minProperties: 2, description: "The fields to change. Omitted fields stay as they are." },
);
export type TicketChange = Type.Static<typeof TicketChange>;

/** A ticket after a change, and how to undo it. */
export const ChangedTicket = Type.Intersect([
  TicketDetails,
  Type.Object({
    undo: Type.Union([TicketChange, Type.Null()], {
      description: "The change that undoes the request, for `changeTickets`. Null if it changed only texts or nothing.",
    }),
  }),
]);
export type ChangedTicket = Type.Static<typeof ChangedTicket>;

/** A ticket after a move, and how to undo it. */
export const MovedCard = Type.Intersect([Card, Type.Object({ undo: TicketChange })]);
export type MovedCard = Type.Static<typeof MovedCard>;

/** Changes of many tickets, all or nothing. */
export const ChangeTickets = Type.Object(
  {
    changes: Type.Array(TicketChange, {
      minItems: 1,
      maxItems: bulkTicketsMax,
      description: "The changes, at most one for each ticket.",
    }),
  },
  { ...closed, description: "The changes to many tickets." },
);
export type ChangeTickets = Type.Static<typeof ChangeTickets>;

/** The changed tickets, and how to undo the change. */
export const ChangedTickets = Type.Object(
  {
    cards: Type.Array(Card, { description: "The changed tickets, in the order of the request." }),
    undo: Type.Array(TicketChange, {
      description: "The changes that undo this request. Send them as a request of the same kind.",
    }),
  },
  { description: "The changed tickets, and the changes that undo the request." },
);
export type ChangedTickets = Type.Static<typeof ChangedTickets>;

/** Tickets to delete, all or nothing. */
export const DeleteTickets = Type.Object(
  {
    ticketIds: Type.Array(Uuid("A ticket."), {
      minItems: 1,
      maxItems: bulkTicketsMax,
      description: "The tickets to delete.",
    }),
  },
  { ...closed, description: "The tickets to delete." },
);
export type DeleteTickets = Type.Static<typeof DeleteTickets>;

/** A move of a ticket, directly below another one or on top. */
export const MoveTicket = Type.Object(
  {
    columnId: Uuid("The column to move the ticket to, on any board of its project."),
    belowTicketId: NullableUuid("The ticket to place this one below. Null places it on top."),
  },
  { ...closed, description: "The place of the ticket." },
);
export type MoveTicket = Type.Static<typeof MoveTicket>;

/** The author of a text or change. */
export const Actor = Type.Object(
  {
    kind: Type.Enum(["token", "person", "app", "lodge"], {
      description: "An API token, a person, the app that sent the report, or Lodge itself.",
    }),
    id: NullableUuid("The token, user or app."),
    name: Type.String({ description: "The name at the time." }),
  },
  { description: "The actor." },
);
export type Actor = Type.Static<typeof Actor>;

/** A comment on a ticket. */
export const Comment = Type.Object(
  {
    id: Uuid("The comment."),
    author: Actor,
    text: Type.String({ description: "The comment, in Markdown. Mentions appear as @ and the person's name." }),
    mentions: Type.Array(
      Type.Object({ id: Uuid("The user."), name: Type.String({ description: "The name as it appears in the text." }) }),
    ),
    createdAt: Timestamp("When the comment was written."),
    editedAt: NullableTimestamp("When the author last edited the comment. Null if they have not."),
  },
  { description: "A comment." },
);
export type Comment = Type.Static<typeof Comment>;

/** A page of comments or history. */
export const PageQuery = Type.Object(
  { cursor: Type.Optional(Uuid("A `nextCursor` from an earlier response.")) },
  closed,
);
export type PageQuery = Type.Static<typeof PageQuery>;

/** A page of the comments of a ticket. */
export const CommentPage = Type.Object(
  {
    comments: Type.Array(Comment, { description: "Oldest first, at most 100." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "Comments of a ticket." },
);
export type CommentPage = Type.Static<typeof CommentPage>;

/** A comment to write. The text contains @ and the name of each mentioned member. */
export const WriteComment = Type.Object(
  {
    text: VisibleText({
      maxLength: commentLengthMax,
      description: "The comment, in Markdown. Mention a member as @ and their name.",
    }),
    mentionedUserIds: Type.Optional(
      Type.Array(Uuid("A member."), { maxItems: 50, description: "The members mentioned in the text." }),
    ),
  },
  { ...closed, description: "The comment to write." },
);
export type WriteComment = Type.Static<typeof WriteComment>;

/** The relations that a ticket can have to another one. */
export const relationKinds = ["duplicateOf", "hasDuplicate", "blocks", "blockedBy", "relatesTo"] as const;
export type RelationKind = (typeof relationKinds)[number];

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
      description: "The value as text: names, not ids. Null if empty, and for descriptions.",
    }),
    to: Type.Union([Type.String(), Type.Null()], {
      description: "The value as text: names, not ids. Null if empty, and for descriptions.",
    }),
  },
  { description: "A changed field, with its old and new value." },
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
      "ticket.attached",
      "ticket.detached",
      "ticket.related",
      "ticket.unrelated",
      "ticket.archived",
      "ticket.restored",
      "ticket.deleted",
      "ticket.undeleted",
      "ticket.occurred",
      "ticket.resolved",
      "run.changed",
    ]),
    actor: Actor,
    changes: Type.Optional(Type.Array(Change, { description: "The changed fields. Only with `ticket.changed`." })),
    from: Type.Optional(
      Type.String({
        description:
          "The name of the old column, or of the old board and column for a move between boards. Only with `ticket.moved` and `ticket.resolved`.",
      }),
    ),
    to: Type.Optional(Type.String({ description: "The name of the new column, or of the new board and column." })),
    commentId: Type.Optional(Uuid("The comment. Only with `ticket.commented`.")),
    filename: Type.Optional(
      Type.String({
        description:
          "The name of the file. Only with `ticket.attached`, `ticket.detached` and, for imported tickets, `ticket.filed`. An erasure can remove the name of an attached file.",
      }),
    ),
    relation: Type.Optional(
      Type.Enum([...relationKinds], {
        description: "The ticket's relation to the other one. Only with `ticket.related` and `ticket.unrelated`.",
      }),
    ),
    otherNumber: Type.Optional(Type.String({ description: "The number of the other ticket, if it has one." })),
    movedComments: Type.Optional(
      Type.Integer({ description: "The number of comments that moved between the tickets. Only with duplicates." }),
    ),
    occurrence: Type.Optional(
      Type.Integer({
        description:
          "The number of occurrences so far. Only with `ticket.occurred`, which is recorded at most once an hour.",
      }),
    ),
    previousTicketId: Type.Optional(Uuid("The previous ticket with the same problem. Only with `ticket.filed`.")),
    runState: Type.Optional(
      Type.Enum([...runStates], { description: "The state of the agent's run. Only with `run.changed`." }),
    ),
    runReason: Type.Optional(
      Type.String({ description: "Why the run is held, or why it ended. Only with `run.changed`." }),
    ),
    createdAt: Timestamp("When it happened."),
  },
  { description: "An entry of a ticket's history." },
);
export type Activity = Type.Static<typeof Activity>;

/** A page of the history of a ticket. */
export const ActivityPage = Type.Object(
  {
    activities: Type.Array(Activity, {
      description: "Newest first, at most 100. Moves within a column are not recorded.",
    }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "The history of a ticket." },
);
export type ActivityPage = Type.Static<typeof ActivityPage>;

/** The texts before and after a change in a ticket's history. */
export const ChangedTexts = Type.Object(
  {
    texts: Type.Array(
      Type.Object({
        field: Type.Enum(["title", "description"]),
        before: Type.String({ description: "The old text." }),
        after: Type.String({ description: "The new text." }),
      }),
      { description: "The changed texts." },
    ),
  },
  { description: "The texts before and after a change." },
);
export type ChangedTexts = Type.Static<typeof ChangedTexts>;

/** The tokens and apps that file tickets. */
export const AuthorList = Type.Object(
  {
    authors: Type.Array(
      Type.Object({
        kind: Type.Enum(["token", "app"], { description: "An API token, or an app that sends reports." }),
        id: Uuid("The token or app."),
        name: Type.String({ description: "The name." }),
      }),
      { description: "Active tokens and apps, sorted by name." },
    ),
  },
  { description: "The tokens and apps that file tickets." },
);
export type AuthorList = Type.Static<typeof AuthorList>;

const commentPath = pathIds({ ticketId: "The ticket.", commentId: "The comment." }, "comment_not_found");
const activityPath = pathIds(
  { ticketId: "The ticket.", activityId: "The entry of the ticket's history." },
  "text_not_found",
);
const ticketPath = pathId("ticketId", "ticket_not_found", "The ticket.");

const onceHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: idempotencyKeyLengthMax,
      description:
        "Makes retries safe: reusing a key returns what the first request created. Keys are scoped to the person.",
    }),
  ),
});

export const createTicket = dashboard({
  id: "createTicket",
  method: "POST",
  path: "/api/dashboard/tickets",
  role: "member",
  headers: onceHeaders,
  body: CreateTicket,
  answers: { 201: TicketDetails },
  errors: [
    "invalid_idempotency_key",
    "column_not_found",
    "invalid_date_range",
    "not_a_member",
    "invalid_agent_repository",
  ],
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
  summary: "Get a ticket",
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
    "labels.changed",
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
  summary: "Find the organisation, project, board and column of a ticket",
});

export const changeTicket = dashboard({
  id: "changeTicket",
  method: "PATCH",
  path: "/api/dashboard/tickets/{ticketId}",
  role: "member",
  params: ticketPath,
  body: ChangeTicket,
  answers: { 200: ChangedTicket },
  errors: ["ticket_not_found", "text_changed", "invalid_date_range", "not_a_member", "invalid_agent_repository"],
  summary: "Update a ticket",
});

export const moveTicket = dashboard({
  id: "moveTicket",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/move",
  role: "member",
  params: ticketPath,
  body: MoveTicket,
  answers: { 200: MovedCard },
  errors: ["ticket_not_found", "column_not_found", "card_moved_away"],
  summary: "Move a ticket",
  description: "If the column belongs to another project, the request fails with `column_not_found`.",
});

export const changeTickets = dashboard({
  id: "changeTickets",
  method: "PATCH",
  path: "/api/dashboard/tickets",
  role: "member",
  body: ChangeTickets,
  answers: { 200: ChangedTickets },
  errors: [
    "ticket_not_found",
    "column_not_found",
    "card_moved_away",
    "not_a_member",
    "invalid_date_range",
    "ticket_changed",
  ],
  summary: "Update many tickets",
  description: "Moves, archives, restores, labels, assigns or schedules up to 100 tickets, all or nothing.",
});

export const deleteTicket = dashboard({
  id: "deleteTicket",
  method: "DELETE",
  path: "/api/dashboard/tickets/{ticketId}",
  role: "member",
  params: ticketPath,
  answers: noContent,
  errors: ["ticket_not_found", "forbidden"],
  summary: "Delete a ticket",
  description:
    "Moves the ticket to the trash of its project for 30 days. Owners and admins can delete any ticket, members only those that they filed.",
});

export const deleteTickets = dashboard({
  id: "deleteTickets",
  method: "POST",
  path: "/api/dashboard/tickets/delete",
  role: "member",
  body: DeleteTickets,
  answers: noContent,
  errors: ["ticket_not_found", "forbidden"],
  summary: "Delete many tickets",
  description: "Deletes all tickets or none, with the rules of `deleteTicket`.",
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
  headers: onceHeaders,
  body: WriteComment,
  answers: { 201: Comment },
  errors: ["invalid_idempotency_key", "ticket_not_found", "not_a_member"],
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
  summary: "Update your own comment",
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
  description: "Members can delete their own comments, owners and admins any comment.",
});

export const readTexts = dashboard({
  id: "readTexts",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/activities/{activityId}/texts",
  role: "member",
  params: activityPath,
  answers: { 200: ChangedTexts },
  errors: ["text_not_found"],
  summary: "Get the texts before and after a change",
  staleAfter: ["board.changed"],
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
  summary: "List the history of a ticket",
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
