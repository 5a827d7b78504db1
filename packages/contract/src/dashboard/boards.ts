import Type from "typebox";
import { boardViewsMax, columnsMax, doneCardDaysMax, filterLengthMax, labelLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import {
  CalendarDate,
  Name,
  NullableDate,
  NullableTimestamp,
  NullableUuid,
  Text,
  Timestamp,
  Uuid,
  UuidOrAuthorKind,
  UuidOrNone,
} from "../text.ts";
import { priorities } from "../tickets.ts";
import { Person } from "./access.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: projects, boards, columns, and the tickets on them. */

const closed = { additionalProperties: false } as const;
const Index = Type.Integer({ minimum: 0, maximum: 10_000, description: "The position in the list, from 0." });

export const BoardSummary = Type.Object(
  { id: Uuid("The board."), name: Type.String({ description: "The name." }) },
  { description: "A board, without its columns." },
);
export type BoardSummary = Type.Static<typeof BoardSummary>;

/** A project with its boards and repositories. */
export const Project = Type.Object(
  {
    id: Uuid("The project."),
    name: Type.String({ description: "The name." }),
    slug: Type.String({ description: "The slug, used in URLs and `lodged apply`." }),
    boards: Type.Array(BoardSummary, { description: "Sorted by position." }),
    repositories: Type.Array(
      Type.Object({
        id: Uuid("The repository."),
        name: Type.String({ description: "The name." }),
        url: Type.String({ description: "The URL that Git clones from." }),
      }),
      { description: "The project's repositories, sorted by name." },
    ),
  },
  { description: "A project." },
);
export type Project = Type.Static<typeof Project>;

/** Every project of the organisation. */
export const ProjectList = Type.Object(
  { projects: Type.Array(Project, { description: "Sorted by position." }) },
  { description: "The projects of the organisation." },
);
export type ProjectList = Type.Static<typeof ProjectList>;

/** A project to create. Its slug is derived from the name. */
export const CreateProject = Type.Object({ name: Name }, { ...closed, description: "The project to create." });
export type CreateProject = Type.Static<typeof CreateProject>;

/** A project's new name, its new place, or both. */
export const ChangeProject = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index) },
  { ...closed, minProperties: 1, description: "The project's new name or position." },
);
export type ChangeProject = Type.Static<typeof ChangeProject>;

/** A column without its tickets. */
export const ColumnSummary = Type.Object(
  {
    id: Uuid("The column."),
    name: Type.String({ description: "The name." }),
    isDone: Type.Boolean({ description: "Whether this is the board's done column. A board has at most one." }),
  },
  { description: "A column, without its tickets." },
);
export type ColumnSummary = Type.Static<typeof ColumnSummary>;

/** A ticket as boards show it. */
export const Card = Type.Object(
  {
    id: Uuid("The ticket."),
    columnId: Uuid("The ticket's column."),
    position: Type.String({
      description:
        "The position in the column. Tickets are sorted by position (by code units), then by id, both descending.",
    }),
    number: Type.Union([Type.String(), Type.Null()], {
      description:
        "The ticket's number, like WEB-214: the project's slug and a number. Null until Lodge assigns one, usually within 5 seconds.",
    }),
    title: Type.String({ description: "The title of the ticket." }),
    priority: Type.Enum([...priorities]),
    assignee: Type.Union([Person, Type.Null()]),
    author: Type.Object(
      {
        kind: Type.Enum(["token", "person", "app"], {
          description: "An API token, a person, or the app that sent the report.",
        }),
        id: NullableUuid("The token, user or app. Null if it was deleted."),
        name: Type.String({ description: "The author's name when the ticket was filed." }),
      },
      { description: "The author." },
    ),
    labels: Type.Array(Type.String(), { description: "The labels." }),
    occurrences: Type.Integer({
      description: "The number of occurrences of the problem while the ticket was open. 1 if it has no problem.",
    }),
    lastOccurredAt: NullableTimestamp("When the problem last occurred. Null if the ticket has no problem."),
    startsAt: NullableDate("The start date."),
    dueAt: NullableDate("The due date."),
    commentCount: Type.Integer({ description: "The number of comments." }),
    tasks: Type.Union(
      [
        Type.Object({
          done: Type.Integer({ description: "The number of ticked tasks." }),
          total: Type.Integer({ description: "The number of tasks." }),
        }),
        Type.Null(),
      ],
      { description: "The task list in the description: lines like `- [ ] task`. Null if it has none." },
    ),
    report: Type.Union(
      [
        Type.Object({
          problemId: NullableUuid("The problem. Null if the ticket is about a single report."),
          eventCount: Type.Integer({ description: "The number of times that the problem occurred." }),
          installCount: Type.Integer({ description: "The number of affected installs." }),
          userCount: Type.Integer({ description: "The number of affected users, as on the problem's page." }),
          isUserCountExact: Type.Boolean({ description: "Whether `userCount` is exact, not an estimate." }),
        }),
        Type.Null(),
      ],
      { description: "The report or problem that the ticket was created from. See `getTicketReport` for details." },
    ),
    createdAt: Timestamp("When the ticket was filed."),
    updatedAt: Timestamp("When the ticket, its history or its comments last changed."),
    doneAt: NullableTimestamp("When the ticket was moved to the done column or resolved. Null if it is not done."),
    archivedAt: NullableTimestamp(
      "When the ticket was archived. Null if it is not. Boards do not show archived tickets.",
    ),
  },
  { description: "A ticket, as boards show it." },
);
export type Card = Type.Static<typeof Card>;

const filter = {
  text: Type.Optional(
    Text({
      maxLength: filterLengthMax,
      description: "Part of the title or description, ignoring case, or the number of a ticket, like WEB-214 or 214.",
    }),
  ),
  assignee: Type.Optional(UuidOrNone('A user id, or "none" for tickets without an assignee.')),
  priority: Type.Optional(Type.Enum([...priorities])),
  label: Type.Optional(Text({ maxLength: labelLengthMax, description: "The name of a label." })),
  author: Type.Optional(UuidOrAuthorKind("The author's id, or a kind of author: token, person or app.")),
  dueFrom: Type.Optional(CalendarDate("Only tickets due on or after this date.")),
  dueUntil: Type.Optional(CalendarDate("Only tickets due on or before this date.")),
  createdFrom: Type.Optional(Timestamp("Only tickets filed at or after this time.")),
  open: Type.Optional(Type.Literal("true", { description: "Only tickets that are not done." })),
};

/** A filter of a board. Tickets must match all given fields. */
export const CardFilter = Type.Object(filter, closed);
export type CardFilter = Type.Static<typeof CardFilter>;

/** The orders of a column's tickets other than by position. */
export const cardSorts = ["priority", "dueAt", "createdAt"] as const;
export type CardSort = (typeof cardSorts)[number];

/** The orders of a board's tickets as a list, and what they can be grouped by. */
export const listSorts = ["createdAt", "updatedAt", "dueAt", "priority", "position"] as const;
export type ListSort = (typeof listSorts)[number];
export const listGroups = ["column", "assignee", "label", "priority", "author"] as const;
export type ListGroup = (typeof listGroups)[number];

const me = Type.Literal("me", { description: "The person who opens the view." });

/** Which tickets a board shows, and how, as in the page's URL. Values like `me` and `today` keep a shared view valid for everybody, on any day. */
export const BoardSearch = Type.Object(
  {
    q: Type.Optional(
      Text({ minLength: 1, maxLength: filterLengthMax, description: "Part of the title or description." }),
    ),
    assignee: Type.Optional(Type.Union([me, Type.Literal("none"), Uuid("A user.")])),
    priority: Type.Optional(Type.Enum([...priorities])),
    label: Type.Optional(Text({ minLength: 1, maxLength: labelLengthMax, description: "The name of a label." })),
    author: Type.Optional(Type.Union([me, Type.Enum(["person", "token", "app"]), Uuid("The id of the author.")])),
    due: Type.Optional(Type.Enum(["overdue", "today", "week"])),
    filed: Type.Optional(Type.Enum(["today", "week", "month"])),
    open: Type.Optional(Type.Literal(true, { description: "Only tickets that are not done." })),
    view: Type.Optional(Type.Literal("list", { description: "Shows the tickets as a list instead of columns." })),
    sort: Type.Optional(Type.Enum([...listSorts], { description: "The order of the list. Defaults to createdAt." })),
    group: Type.Optional(Type.Enum([...listGroups], { description: "The property by which the list is grouped." })),
  },
  {
    ...closed,
    minProperties: 1,
    description: "A filter of tickets, and how to show them. Tickets must match all given fields.",
  },
);
export type BoardSearch = Type.Static<typeof BoardSearch>;

/** A filter of a board that a member saved under a name. */
export const BoardView = Type.Object(
  {
    id: Uuid("The view."),
    boardId: Uuid("The board."),
    name: Type.String({ description: "The name of the view." }),
    filter: BoardSearch,
    shared: Type.Boolean({ description: "Whether all members see the view." }),
    isOwn: Type.Boolean({ description: "Whether you saved the view. Owners and admins can also change shared views." }),
  },
  { description: "A saved filter of a board." },
);
export type BoardView = Type.Static<typeof BoardView>;

/** The views that a member sees, and their favourite boards. */
export const BoardViewList = Type.Object(
  {
    views: Type.Array(BoardView, {
      description: `Your own views, at most ${boardViewsMax} for each board, and the shared ones. Sorted by name.`,
    }),
    favouriteBoardIds: Type.Array(Uuid("A board."), { description: "Your favourite boards." }),
  },
  { description: "The member's saved views and favourite boards." },
);
export type BoardViewList = Type.Static<typeof BoardViewList>;

const Shared = Type.Boolean({ description: "Whether all members see the view. Defaults to false." });

/** A filter to save. */
export const SaveBoardView = Type.Object(
  { name: Name, filter: BoardSearch, shared: Type.Optional(Shared) },
  { ...closed, description: "The filter to save, with its name." },
);
export type SaveBoardView = Type.Static<typeof SaveBoardView>;

/** The changes to a saved view. Omitted fields stay as they are. */
export const ChangeBoardView = Type.Object(
  { name: Type.Optional(Name), filter: Type.Optional(BoardSearch), shared: Type.Optional(Shared) },
  { ...closed, minProperties: 1, description: "The fields to change. Omitted fields stay as they are." },
);
export type ChangeBoardView = Type.Static<typeof ChangeBoardView>;

/** Whether a board is one of the member's favourites. */
export const SetFavourite = Type.Object(
  { favourite: Type.Boolean({ description: "Whether the board is listed first in your sidebar." }) },
  { ...closed, description: "Whether the board is a favourite." },
);
export type SetFavourite = Type.Static<typeof SetFavourite>;

/** A filter of a column's tickets, their order, and a page. */
export const CardQuery = Type.Object(
  {
    ...filter,
    sort: Type.Optional(
      Type.Enum([...cardSorts], {
        description:
          "The order. Defaults to the position. `priority`: most urgent first, then most recently changed. `dueAt`: earliest first, then tickets without a due date. `createdAt`: newest first.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 500,
        description: "A `nextCursor` from an earlier response with the same filter and order.",
      }),
    ),
  },
  closed,
);
export type CardQuery = Type.Static<typeof CardQuery>;

/** A page of the tickets of a column. */
export const CardPage = Type.Object(
  {
    cards: Type.Array(Card, { description: "In the order of the query, at most 50." }),
    cardCount: Type.Integer({
      description: "The number of tickets in the column that match the filter, on all pages.",
    }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "A page of the tickets of a column." },
);
export type CardPage = Type.Static<typeof CardPage>;

/** A filter of a board, and whether its tickets are left out. */
export const BoardQuery = Type.Object(
  {
    ...filter,
    cards: Type.Optional(Type.Literal("none", { description: "Returns only the number of tickets in each column." })),
  },
  closed,
);
export type BoardQuery = Type.Static<typeof BoardQuery>;

/** A filter of a board's tickets, their order, and a page. */
export const BoardCardQuery = Type.Object(
  {
    ...filter,
    sort: Type.Optional(
      Type.Enum([...listSorts], {
        description:
          "The order. `createdAt` (the default): newest first. `updatedAt`: most recently changed first. `dueAt`: earliest first, then tickets without a due date, newest first. `priority`: most urgent first, then most recently changed. `position`: column by column, as on the board.",
      }),
    ),
    group: Type.Optional(
      Type.Enum([...listGroups], {
        description:
          "Groups the tickets: columns from left to right, priorities from high to none, and assignees, labels and authors by name. Tickets without a value come last. A ticket with several labels is in the group of its first label.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description: "A `nextCursor` from an earlier response with the same filter, order and group.",
      }),
    ),
  },
  closed,
);
export type BoardCardQuery = Type.Static<typeof BoardCardQuery>;

/** The most groups of a list that are counted. */
export const countedGroupsMax = 1_000;

/** A page of the tickets of a board. */
export const BoardCardPage = Type.Object(
  {
    cards: Type.Array(Card, { description: "In the order of the query, at most 100." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
    groups: Type.Optional(
      Type.Array(
        Type.Object({
          key: Type.String({
            description:
              "The group's key: the assignee's id, the label, the priority or, for authors, the name and the id with a vertical bar between them. Empty for tickets without one.",
          }),
          cardCount: Type.Integer({ description: "The number of tickets in the group that match the filter." }),
        }),
        {
          description: `The groups, unordered: at most the ${countedGroupsMax.toLocaleString("en")} largest. Only on the first page, and not if grouped by column: \`viewBoard\` counts those.`,
        },
      ),
    ),
  },
  { description: "A page of the tickets of a board." },
);
export type BoardCardPage = Type.Static<typeof BoardCardPage>;

const DoneCardDays = Type.Union([Type.Integer({ minimum: 1, maximum: doneCardDaysMax }), Type.Null()], {
  description:
    "The number of days after which Lodge archives done tickets. It checks once an hour. Defaults to 14. Null for never.",
});

/** A board, each column with its topmost tickets. */
export const Board = Type.Object(
  {
    id: Uuid("The board."),
    name: Type.String({ description: "The name." }),
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "The name." }) }),
    doneCardDays: DoneCardDays,
    columns: Type.Array(Type.Intersect([ColumnSummary, CardPage]), { description: "The columns, from left to right." }),
  },
  { description: "A board with its columns and the first page of their tickets." },
);
export type Board = Type.Static<typeof Board>;

/** The number of tickets on each board. */
export const BoardFigures = Type.Object(
  {
    boards: Type.Array(
      Type.Object({
        id: Uuid("The board."),
        cardCount: Type.Integer({ description: "The number of tickets on the board, without archived ones." }),
        openCardCount: Type.Integer({ description: "The number of tickets that are not done." }),
        lastActivityAt: NullableTimestamp("When one of these tickets last changed. Null if there are no tickets."),
      }),
      { description: "All boards of the organisation." },
    ),
  },
  { description: "The number of tickets on each board." },
);
export type BoardFigures = Type.Static<typeof BoardFigures>;

/** A board to create. */
export const CreateBoard = Type.Object(
  {
    projectId: Uuid("The board's project."),
    name: Name,
    columns: Type.Optional(
      Type.Array(Name, {
        minItems: 1,
        maxItems: columnsMax,
        description: "The columns, from left to right; the last is the done column. Defaults to To do, Doing, Done.",
      }),
    ),
  },
  { ...closed, description: "The board to create." },
);
export type CreateBoard = Type.Static<typeof CreateBoard>;

/** The changes to a board. Omitted fields stay as they are. */
export const ChangeBoard = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index), doneCardDays: Type.Optional(DoneCardDays) },
  {
    ...closed,
    minProperties: 1,
    description: "The board's new name, position, or number of days that it keeps done tickets.",
  },
);
export type ChangeBoard = Type.Static<typeof ChangeBoard>;

/** A column to create on the right. */
export const CreateColumn = Type.Object(
  { boardId: Uuid("The column's board."), name: Name },
  { ...closed, description: "The column to create." },
);
export type CreateColumn = Type.Static<typeof CreateColumn>;

/** The changes to a column. Omitted fields stay as they are. */
export const ChangeColumn = Type.Object(
  {
    name: Type.Optional(Name),
    index: Type.Optional(Index),
    isDone: Type.Optional(
      Type.Boolean({ description: "Whether this is the board's done column. Replaces the previous done column." }),
    ),
  },
  { ...closed, minProperties: 1, description: "The column's new name, position, or whether it is the done column." },
);
export type ChangeColumn = Type.Static<typeof ChangeColumn>;

/** A page of archived tickets. */
export const ArchiveQuery = Type.Object(
  { cursor: Type.Optional(Type.String({ maxLength: 500, description: "A `nextCursor` from an earlier response." })) },
  closed,
);
export type ArchiveQuery = Type.Static<typeof ArchiveQuery>;

/** A page of the archived tickets of a board. */
export const ArchivePage = Type.Object(
  {
    cards: Type.Array(Card, { description: "Most recently archived first, at most 50." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "A page of the archived tickets of a board." },
);
export type ArchivePage = Type.Static<typeof ArchivePage>;

/** What to delete along with a project, board or column. */
export const DeletionQuery = Type.Object(
  {
    archived: Type.Optional(
      Type.Enum(["delete"], {
        description:
          "Also permanently deletes the archived tickets. If omitted, the request fails with `only_archived` if there are any.",
      }),
    ),
    subscribers: Type.Optional(
      Type.Enum(["delete"], {
        description:
          "Also deletes the subscribers that file reports onto the board. If omitted, the request fails with `board_has_subscribers` if there are any.",
      }),
    ),
  },
  closed,
);
export type DeletionQuery = Type.Static<typeof DeletionQuery>;

/** The target of the tickets of a deleted column. */
export const ColumnDeletionQuery = Type.Object(
  {
    archived: DeletionQuery.properties.archived,
    moveTo: Type.Optional(
      Uuid(
        "Another column of the same board. All tickets, including archived ones, move to the top of it before the column is deleted.",
      ),
    ),
  },
  closed,
);
export type ColumnDeletionQuery = Type.Static<typeof ColumnDeletionQuery>;

const projectPath = pathId("projectId", "project_not_found", "The project.");
const boardPath = pathId("boardId", "board_not_found", "The board.");
const columnPath = pathId("columnId", "column_not_found", "The column.");

export const listProjects = dashboard({
  id: "listProjects",
  method: "GET",
  path: "/api/dashboard/projects",
  role: "member",
  answers: { 200: ProjectList },
  errors: [],
  summary: "List the projects",
  staleAfter: ["projects.changed", "board.changed"],
});

export const createProject = dashboard({
  id: "createProject",
  method: "POST",
  path: "/api/dashboard/projects",
  role: "admin",
  body: CreateProject,
  answers: { 201: Project },
  errors: ["too_many"],
  summary: "Create a project",
});

export const changeProject = dashboard({
  id: "changeProject",
  method: "PATCH",
  path: "/api/dashboard/projects/{projectId}",
  role: "admin",
  params: projectPath,
  body: ChangeProject,
  answers: { 200: Project },
  errors: ["project_not_found"],
  summary: "Update a project",
});

export const deleteProject = dashboard({
  id: "deleteProject",
  method: "DELETE",
  path: "/api/dashboard/projects/{projectId}",
  role: "admin",
  params: projectPath,
  query: DeletionQuery,
  answers: noContent,
  errors: ["project_not_found", "not_empty", "only_archived", "board_has_subscribers"],
  summary: "Delete an empty project",
});

export const listBoardFigures = dashboard({
  id: "listBoardFigures",
  method: "GET",
  path: "/api/dashboard/boards",
  role: "member",
  answers: { 200: BoardFigures },
  errors: ["rate_limit_exceeded"],
  summary: "Count the tickets of every board",
});

export const viewBoard = dashboard({
  id: "viewBoard",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}",
  role: "member",
  params: boardPath,
  query: BoardQuery,
  answers: { 200: Board },
  errors: ["board_not_found", "rate_limit_exceeded"],
  summary: "Get a board with its tickets",
  description:
    "There is no need to fetch the board again after a ticket changes: the message from `streamEvents` contains the changed ticket.",
  staleAfter: ["board.changed", "projects.changed", "labels.changed"],
});

export const listArchive = dashboard({
  id: "listArchive",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}/archive",
  role: "member",
  params: boardPath,
  query: ArchiveQuery,
  answers: { 200: ArchivePage },
  errors: ["board_not_found", "rate_limit_exceeded"],
  summary: "List the archived tickets of a board",
  staleAfter: [
    "ticket.changed",
    "ticket.archived",
    "ticket.restored",
    "ticket.deleted",
    "board.changed",
    "labels.changed",
  ],
});

export const createBoard = dashboard({
  id: "createBoard",
  method: "POST",
  path: "/api/dashboard/boards",
  role: "member",
  body: CreateBoard,
  answers: { 201: BoardSummary },
  errors: ["project_not_found", "too_many"],
  summary: "Create a board",
});

export const changeBoard = dashboard({
  id: "changeBoard",
  method: "PATCH",
  path: "/api/dashboard/boards/{boardId}",
  role: "member",
  params: boardPath,
  body: ChangeBoard,
  answers: { 200: BoardSummary },
  errors: ["board_not_found"],
  summary: "Update a board",
});

export const deleteBoard = dashboard({
  id: "deleteBoard",
  method: "DELETE",
  path: "/api/dashboard/boards/{boardId}",
  role: "member",
  params: boardPath,
  query: DeletionQuery,
  answers: noContent,
  errors: ["board_not_found", "not_empty", "only_archived", "board_has_subscribers"],
  summary: "Delete an empty board",
});

export const listBoardViews = dashboard({
  id: "listBoardViews",
  method: "GET",
  path: "/api/dashboard/views",
  role: "member",
  answers: { 200: BoardViewList },
  errors: [],
  summary: "List the saved views and your favourite boards",
  staleAfter: ["views.changed", "projects.changed", "labels.changed"],
});

export const saveBoardView = dashboard({
  id: "saveBoardView",
  method: "POST",
  path: "/api/dashboard/boards/{boardId}/views",
  role: "member",
  params: boardPath,
  body: SaveBoardView,
  answers: { 200: BoardView },
  errors: ["board_not_found", "too_many"],
  summary: "Save a view",
  description:
    "Only you see the view, unless you share it. It replaces your own view of this board with the same name.",
});

export const changeBoardView = dashboard({
  id: "changeBoardView",
  method: "PATCH",
  path: "/api/dashboard/views/{viewId}",
  role: "member",
  params: pathId("viewId", "view_not_found", "The view."),
  body: ChangeBoardView,
  answers: { 200: BoardView },
  errors: ["view_not_found", "view_name_taken"],
  summary: "Update a saved view",
});

export const deleteBoardView = dashboard({
  id: "deleteBoardView",
  method: "DELETE",
  path: "/api/dashboard/views/{viewId}",
  role: "member",
  params: pathId("viewId", "view_not_found", "The view."),
  answers: noContent,
  errors: ["view_not_found"],
  summary: "Delete a saved view",
});

export const setFavourite = dashboard({
  id: "setFavourite",
  method: "PATCH",
  path: "/api/dashboard/boards/{boardId}/favourite",
  role: "member",
  params: boardPath,
  body: SetFavourite,
  answers: noContent,
  errors: ["board_not_found"],
  summary: "Add a board to your favourites, or remove it",
});

export const listCards = dashboard({
  id: "listCards",
  method: "GET",
  path: "/api/dashboard/columns/{columnId}/cards",
  role: "member",
  params: columnPath,
  query: CardQuery,
  answers: { 200: CardPage },
  errors: ["column_not_found", "rate_limit_exceeded"],
  summary: "List the tickets of a column",
});

export const listBoardCards = dashboard({
  id: "listBoardCards",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}/cards",
  role: "member",
  params: boardPath,
  query: BoardCardQuery,
  answers: { 200: BoardCardPage },
  errors: ["board_not_found", "rate_limit_exceeded"],
  summary: "List the tickets of a board",
});

export const createColumn = dashboard({
  id: "createColumn",
  method: "POST",
  path: "/api/dashboard/columns",
  role: "member",
  body: CreateColumn,
  answers: { 201: ColumnSummary },
  errors: ["board_not_found", "too_many"],
  summary: "Create a column",
});

export const changeColumn = dashboard({
  id: "changeColumn",
  method: "PATCH",
  path: "/api/dashboard/columns/{columnId}",
  role: "member",
  params: columnPath,
  body: ChangeColumn,
  answers: { 200: ColumnSummary },
  errors: ["column_not_found"],
  summary: "Update a column",
});

export const deleteColumn = dashboard({
  id: "deleteColumn",
  method: "DELETE",
  path: "/api/dashboard/columns/{columnId}",
  role: "member",
  params: columnPath,
  query: ColumnDeletionQuery,
  answers: noContent,
  errors: ["column_not_found", "not_empty", "only_archived", "last_column", "too_many_cards"],
  summary: "Delete a column",
  description: "Deletes an empty column, or one whose tickets (at most 10,000) move to another column of its board.",
});
