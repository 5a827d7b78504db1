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

/** The dashboard's API: projects, boards, columns, and the cards on them. */

const closed = { additionalProperties: false } as const;
const Index = Type.Integer({ minimum: 0, maximum: 10_000, description: "The place among its siblings, from 0." });

export const BoardSummary = Type.Object(
  { id: Uuid("The board."), name: Type.String({ description: "Its name." }) },
  { description: "A board, without its columns." },
);
export type BoardSummary = Type.Static<typeof BoardSummary>;

/** A project with the names of what is in it. */
export const Project = Type.Object(
  {
    id: Uuid("The project."),
    name: Type.String({ description: "Its name." }),
    slug: Type.String({ description: "Its name in addresses and in `lodged apply`." }),
    boards: Type.Array(BoardSummary, { description: "In their order." }),
    repositories: Type.Array(
      Type.Object({
        id: Uuid("The repository."),
        name: Type.String({ description: "Its name." }),
        url: Type.String({ description: "Where Git clones it from." }),
      }),
      { description: "The repositories bound to it, by name." },
    ),
  },
  { description: "A project." },
);
export type Project = Type.Static<typeof Project>;

/** Every project of the organisation. */
export const ProjectList = Type.Object(
  { projects: Type.Array(Project, { description: "In their order." }) },
  { description: "The projects of the organisation." },
);
export type ProjectList = Type.Static<typeof ProjectList>;

/** A project to make; its slug is made from the name. */
export const CreateProject = Type.Object({ name: Name }, { ...closed, description: "A project to make." });
export type CreateProject = Type.Static<typeof CreateProject>;

/** A project's new name, its new place, or both. */
export const ChangeProject = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index) },
  { ...closed, minProperties: 1, description: "A project's new name or place." },
);
export type ChangeProject = Type.Static<typeof ChangeProject>;

/** A column without its cards. */
export const ColumnSummary = Type.Object(
  {
    id: Uuid("The column."),
    name: Type.String({ description: "Its name." }),
    isDone: Type.Boolean({ description: "Whether cards in it are done; at most one column of a board is so." }),
  },
  { description: "A column, without its cards." },
);
export type ColumnSummary = Type.Static<typeof ColumnSummary>;

/** A card: a ticket as seen on a board. */
export const Card = Type.Object(
  {
    id: Uuid("The ticket."),
    columnId: Uuid("The column that it lies in."),
    position: Type.String({
      description:
        "Its place in the column: cards sort by it in descending order of code units, then by id, descending.",
    }),
    number: Type.Union([Type.String(), Type.Null()], {
      description:
        "What people call it, as WEB-214: the project's slug and a number. Null until it is given one, within minutes.",
    }),
    title: Type.String({ description: "What the card says." }),
    priority: Type.Enum([...priorities]),
    assignee: Type.Union([Person, Type.Null()]),
    author: Type.Object(
      {
        kind: Type.Enum(["token", "person", "app"], {
          description: "Whether an API token filed it, a person, or an app of which a report came.",
        }),
        id: NullableUuid("The token, user or app; null where it is gone."),
        name: Type.String({ description: "The name as it was when the ticket was filed." }),
      },
      { description: "Who filed it." },
    ),
    labels: Type.Array(Type.String(), { description: "What it is labelled with." }),
    occurrences: Type.Integer({ description: "How often its problem was told of while it was open; 1 without one." }),
    lastOccurredAt: NullableTimestamp("When its problem was last told of; null without one."),
    startsAt: NullableDate("The day on which work starts."),
    dueAt: NullableDate("The day on which it is due."),
    commentCount: Type.Integer({ description: "How many comments it has." }),
    report: Type.Union(
      [
        Type.Object({
          problemId: NullableUuid("The problem; null where it is about one report alone."),
          eventCount: Type.Integer({ description: "How often the problem has occurred." }),
          installCount: Type.Integer({ description: "How many installs it has affected." }),
        }),
        Type.Null(),
      ],
      { description: "What it is about, where that was reported by an app; `getTicketReport` has the rest." },
    ),
    createdAt: Timestamp("When it was filed."),
    doneAt: NullableTimestamp("When it was done: came into the done column, or was resolved. Null where it is not."),
    archivedAt: NullableTimestamp("When it was archived, so that its board no longer shows it. Null where it is not."),
  },
  { description: "A card." },
);
export type Card = Type.Static<typeof Card>;

const filter = {
  text: Type.Optional(
    Text({
      maxLength: filterLengthMax,
      description: "Part of the title or description, in any letter case, or the number of a card, as WEB-214 or 214.",
    }),
  ),
  assignee: Type.Optional(UuidOrNone('A user id, or "none" for cards without an assignee.')),
  priority: Type.Optional(Type.Enum([...priorities])),
  label: Type.Optional(Text({ maxLength: labelLengthMax, description: "The name of a label." })),
  author: Type.Optional(
    UuidOrAuthorKind("The token, person or app that filed it, or which kind of them: token, person or app."),
  ),
  dueFrom: Type.Optional(CalendarDate("Due on this day or later.")),
  dueUntil: Type.Optional(CalendarDate("Due on this day or earlier.")),
  createdFrom: Type.Optional(Timestamp("Filed at this time or later.")),
  open: Type.Optional(Type.Literal("true", { description: "Only cards that are not done." })),
};

/** Which cards of a board. All that are given must hold. */
export const CardFilter = Type.Object(filter, closed);
export type CardFilter = Type.Static<typeof CardFilter>;

const me = Type.Literal("me", { description: "Whoever looks." });

/** Which cards a board shows, as its address says it: in words that mean the same to whoever opens it, on whatever day. */
export const BoardSearch = Type.Object(
  {
    q: Type.Optional(
      Text({ minLength: 1, maxLength: filterLengthMax, description: "Part of the title or description." }),
    ),
    assignee: Type.Optional(Type.Union([me, Type.Literal("none"), Uuid("A user.")])),
    priority: Type.Optional(Type.Enum([...priorities])),
    label: Type.Optional(Text({ minLength: 1, maxLength: labelLengthMax, description: "The name of a label." })),
    author: Type.Optional(
      Type.Union([me, Type.Enum(["person", "token", "app"]), Uuid("The token, person or app that filed it.")]),
    ),
    due: Type.Optional(Type.Enum(["overdue", "today", "week"])),
    filed: Type.Optional(Type.Enum(["today", "week", "month"])),
    open: Type.Optional(Type.Literal(true, { description: "Only cards that are not done." })),
  },
  { ...closed, minProperties: 1, description: "Which cards of a board. All that are given must hold." },
);
export type BoardSearch = Type.Static<typeof BoardSearch>;

/** A filter of a board that a member has saved under a name. */
export const BoardView = Type.Object(
  {
    id: Uuid("The view."),
    boardId: Uuid("The board."),
    name: Type.String({ description: "What he calls it." }),
    filter: BoardSearch,
  },
  { description: "A filter of a board that a member has saved." },
);
export type BoardView = Type.Static<typeof BoardView>;

/** All of a member's. */
export const BoardViewList = Type.Object(
  { views: Type.Array(BoardView, { description: `By name; at most ${boardViewsMax} of a board.` }) },
  { description: "The views that the member has saved." },
);
export type BoardViewList = Type.Static<typeof BoardViewList>;

/** A filter to save. */
export const SaveBoardView = Type.Object(
  { name: Name, filter: BoardSearch },
  { ...closed, description: "A filter to save under a name." },
);
export type SaveBoardView = Type.Static<typeof SaveBoardView>;

/** What to change of a saved view: what is left out stays. */
export const ChangeBoardView = Type.Object(
  { name: Type.Optional(Name), filter: Type.Optional(BoardSearch) },
  { ...closed, minProperties: 1, description: "Another name of a saved view, or another filter." },
);
export type ChangeBoardView = Type.Static<typeof ChangeBoardView>;

/** Which cards of a column, and from where on. */
export const CardQuery = Type.Object(
  {
    ...filter,
    cursor: Type.Optional(Type.String({ maxLength: 500, description: "A `nextCursor`, with the same filter." })),
  },
  closed,
);
export type CardQuery = Type.Static<typeof CardQuery>;

/** A page of the cards of a column. */
export const CardPage = Type.Object(
  {
    cards: Type.Array(Card, { description: "From the top, at most 50." }),
    cardCount: Type.Integer({ description: "How many cards of the column pass the filter, on all pages." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "What to send as `cursor` for the cards below these; null where there are none.",
    }),
  },
  { description: "Cards of a column." },
);
export type CardPage = Type.Static<typeof CardPage>;

const DoneCardDays = Type.Union([Type.Integer({ minimum: 1, maximum: doneCardDaysMax }), Type.Null()], {
  description: "After how many days a done card is archived by itself, within an hour; 14 by default, null for never.",
});

/** A board, each column with its topmost cards. */
export const Board = Type.Object(
  {
    id: Uuid("The board."),
    name: Type.String({ description: "Its name." }),
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "Its name." }) }),
    doneCardDays: DoneCardDays,
    columns: Type.Array(Type.Intersect([ColumnSummary, CardPage]), { description: "From left to right." }),
  },
  { description: "A board with its columns and their topmost cards." },
);
export type Board = Type.Static<typeof Board>;

/** How much lies on the boards of an organisation. */
export const BoardFigures = Type.Object(
  {
    boards: Type.Array(
      Type.Object({
        id: Uuid("The board."),
        cardCount: Type.Integer({ description: "How many cards it shows: archived ones are not among them." }),
        openCardCount: Type.Integer({ description: "How many of these are not done." }),
        lastActivityAt: NullableTimestamp("When something last happened to one of these cards; null without cards."),
      }),
      { description: "Every board of the organisation." },
    ),
  },
  { description: "What lies on the boards." },
);
export type BoardFigures = Type.Static<typeof BoardFigures>;

/** A board to make. */
export const CreateBoard = Type.Object(
  {
    projectId: Uuid("The project that it goes into."),
    name: Name,
    columns: Type.Optional(
      Type.Array(Name, {
        minItems: 1,
        maxItems: columnsMax,
        description: "From left to right; default To do, Doing, Done, the last being the done column.",
      }),
    ),
  },
  { ...closed, description: "A board to make." },
);
export type CreateBoard = Type.Static<typeof CreateBoard>;

/** What to change of a board: what is left out stays. */
export const ChangeBoard = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index), doneCardDays: Type.Optional(DoneCardDays) },
  {
    ...closed,
    minProperties: 1,
    description: "A board's new name, its place in its project, or how long it keeps done cards.",
  },
);
export type ChangeBoard = Type.Static<typeof ChangeBoard>;

/** A column to make, on the right. */
export const CreateColumn = Type.Object(
  { boardId: Uuid("The board that it goes onto."), name: Name },
  { ...closed, description: "A column to make." },
);
export type CreateColumn = Type.Static<typeof CreateColumn>;

/** What to change of a column: what is left out stays. */
export const ChangeColumn = Type.Object(
  {
    name: Type.Optional(Name),
    index: Type.Optional(Index),
    isDone: Type.Optional(
      Type.Boolean({ description: "Whether it is the board's done column; another one that was so is no longer." }),
    ),
  },
  { ...closed, minProperties: 1, description: "A column's new name, its place on its board, or what it stands for." },
);
export type ChangeColumn = Type.Static<typeof ChangeColumn>;

/** Which of the archived cards of a board. */
export const ArchiveQuery = Type.Object(
  { cursor: Type.Optional(Type.String({ maxLength: 500, description: "A `nextCursor` of an earlier answer." })) },
  closed,
);
export type ArchiveQuery = Type.Static<typeof ArchiveQuery>;

/** A page of the archived cards of a board. */
export const ArchivePage = Type.Object(
  {
    cards: Type.Array(Card, { description: "Those archived last first, at most 50." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "What to send as `cursor` for those before; null where there are none.",
    }),
  },
  { description: "Archived cards of a board." },
);
export type ArchivePage = Type.Static<typeof ArchivePage>;

/** Whether archived cards are deleted as well. */
export const DeletionQuery = Type.Object(
  {
    archived: Type.Optional(
      Type.Enum(["delete"], {
        description: "Deletes the archived cards in it for good; without it they are `only_archived`.",
      }),
    ),
    subscribers: Type.Optional(
      Type.Enum(["delete"], {
        description: "Deletes the subscribers that file reports onto it; without it they are `board_has_subscribers`.",
      }),
    ),
  },
  closed,
);
export type DeletionQuery = Type.Static<typeof DeletionQuery>;

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
  summary: "Make a project",
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
  summary: "Rename or move a project",
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
  summary: "Delete a project without cards",
});

export const listBoardFigures = dashboard({
  id: "listBoardFigures",
  method: "GET",
  path: "/api/dashboard/boards",
  role: "member",
  answers: { 200: BoardFigures },
  errors: ["rate_limit_exceeded"],
  summary: "Count the cards of every board",
});

export const viewBoard = dashboard({
  id: "viewBoard",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}",
  role: "member",
  params: boardPath,
  query: CardFilter,
  answers: { 200: Board },
  errors: ["board_not_found", "rate_limit_exceeded"],
  summary: "Show a board with its cards",
  description:
    "After a change of a ticket it need not be fetched anew: the event of `streamEvents` says what to change of it.",
  staleAfter: ["board.changed", "projects.changed"],
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
  summary: "List the archived cards of a board",
  staleAfter: ["ticket.changed", "ticket.archived", "ticket.restored", "ticket.deleted", "board.changed"],
});

export const createBoard = dashboard({
  id: "createBoard",
  method: "POST",
  path: "/api/dashboard/boards",
  role: "member",
  body: CreateBoard,
  answers: { 201: BoardSummary },
  errors: ["project_not_found", "too_many"],
  summary: "Make a board",
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
  summary: "Rename or move a board",
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
  summary: "Delete a board without cards",
});

export const listBoardViews = dashboard({
  id: "listBoardViews",
  method: "GET",
  path: "/api/dashboard/views",
  role: "member",
  answers: { 200: BoardViewList },
  errors: [],
  summary: "List the views that the member has saved",
  staleAfter: ["views.changed", "projects.changed"],
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
  summary: "Save a filter of a board under a name",
  description:
    "For the member alone. It takes the place of the one that he has saved of this board under the same name.",
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
  summary: "Rename a view that the member has saved, or change its filter",
});

export const deleteBoardView = dashboard({
  id: "deleteBoardView",
  method: "DELETE",
  path: "/api/dashboard/views/{viewId}",
  role: "member",
  params: pathId("viewId", "view_not_found", "The view."),
  answers: noContent,
  errors: ["view_not_found"],
  summary: "Forget a view that the member has saved",
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
  summary: "List the cards of a column",
});

export const createColumn = dashboard({
  id: "createColumn",
  method: "POST",
  path: "/api/dashboard/columns",
  role: "member",
  body: CreateColumn,
  answers: { 201: ColumnSummary },
  errors: ["board_not_found", "too_many"],
  summary: "Make a column",
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
  summary: "Rename or move a column",
});

export const deleteColumn = dashboard({
  id: "deleteColumn",
  method: "DELETE",
  path: "/api/dashboard/columns/{columnId}",
  role: "member",
  params: columnPath,
  query: DeletionQuery,
  answers: noContent,
  errors: ["column_not_found", "not_empty", "only_archived", "last_column"],
  summary: "Delete a column without cards",
});
