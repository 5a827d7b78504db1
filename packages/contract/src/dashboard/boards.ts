import Type from "typebox";
import { columnsMax, filterLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { Name, NullableDate, Text, Timestamp, Uuid, UuidOrNone } from "../text.ts";
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
  { id: Uuid("The column."), name: Type.String({ description: "Its name." }) },
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
    title: Type.String({ description: "What the card says." }),
    priority: Type.Enum([...priorities]),
    assignee: Type.Union([Person, Type.Null()]),
    author: Type.Object(
      {
        kind: Type.Enum(["token", "person"], { description: "Whether an API token filed it, or a person." }),
        name: Type.String({ description: "The name as it was when the ticket was filed." }),
      },
      { description: "Who filed it." },
    ),
    startsAt: NullableDate("The day on which work starts."),
    dueAt: NullableDate("The day on which it is due."),
    commentCount: Type.Integer({ description: "How many comments it has." }),
    createdAt: Timestamp("When it was filed."),
  },
  { description: "A card." },
);
export type Card = Type.Static<typeof Card>;

const filter = {
  text: Type.Optional(
    Text({ maxLength: filterLengthMax, description: "Part of the title or description, in any letter case." }),
  ),
  assignee: Type.Optional(UuidOrNone('A user id, or "none" for cards without an assignee.')),
  priority: Type.Optional(Type.Enum([...priorities])),
};

/** Which cards of a board. All that are given must hold. */
export const CardFilter = Type.Object(filter, closed);
export type CardFilter = Type.Static<typeof CardFilter>;

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

/** A board, each column with its topmost cards. */
export const Board = Type.Object(
  {
    id: Uuid("The board."),
    name: Type.String({ description: "Its name." }),
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "Its name." }) }),
    columns: Type.Array(Type.Intersect([ColumnSummary, CardPage]), { description: "From left to right." }),
  },
  { description: "A board with its columns and their topmost cards." },
);
export type Board = Type.Static<typeof Board>;

/** A board to make. */
export const CreateBoard = Type.Object(
  {
    projectId: Uuid("The project that it goes into."),
    name: Name,
    columns: Type.Optional(
      Type.Array(Name, {
        minItems: 1,
        maxItems: columnsMax,
        description: "From left to right; default To do, Doing, Done.",
      }),
    ),
  },
  { ...closed, description: "A board to make." },
);
export type CreateBoard = Type.Static<typeof CreateBoard>;

/** A board's new name, its new place, or both. */
export const ChangeBoard = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index) },
  { ...closed, minProperties: 1, description: "A board's new name, or its place in its project." },
);
export type ChangeBoard = Type.Static<typeof ChangeBoard>;

/** A column to make, on the right. */
export const CreateColumn = Type.Object(
  { boardId: Uuid("The board that it goes onto."), name: Name },
  { ...closed, description: "A column to make." },
);
export type CreateColumn = Type.Static<typeof CreateColumn>;

/** A column's new name, its new place, or both. */
export const ChangeColumn = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index) },
  { ...closed, minProperties: 1, description: "A column's new name, or its place on its board." },
);
export type ChangeColumn = Type.Static<typeof ChangeColumn>;

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
  answers: noContent,
  errors: ["project_not_found", "not_empty"],
  summary: "Delete a project without tickets",
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
  staleAfter: [
    "ticket.filed",
    "ticket.changed",
    "ticket.moved",
    "ticket.commented",
    "board.changed",
    "projects.changed",
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
  answers: noContent,
  errors: ["board_not_found", "not_empty"],
  summary: "Delete a board without tickets",
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
  staleAfter: ["ticket.filed", "ticket.changed", "ticket.moved", "ticket.commented"],
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
  answers: noContent,
  errors: ["column_not_found", "not_empty", "last_column"],
  summary: "Delete a column without cards",
});
