import Type from "typebox";
import { Name, NullableDate, Text, Timestamp, Uuid, UuidOrNone } from "../text.ts";
import { priorities } from "../tickets.ts";
import { Person } from "./access.ts";

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

/** Answer of `GET /api/dashboard/projects`; every role. */
export const ProjectList = Type.Object(
  { projects: Type.Array(Project, { description: "In their order." }) },
  { description: "The projects of the organisation." },
);
export type ProjectList = Type.Static<typeof ProjectList>;

/** `POST /api/dashboard/projects`; admins. The slug is made from the name. 201 `Project`. */
export const CreateProject = Type.Object({ name: Name }, { ...closed, description: "A project to make." });
export type CreateProject = Type.Static<typeof CreateProject>;

/** `PATCH /api/dashboard/projects/{projectId}`; admins. 200 `Project`. Errors: 404 `project_not_found`. */
export const ChangeProject = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index) },
  { ...closed, minProperties: 1, description: "A project's new name or place." },
);
export type ChangeProject = Type.Static<typeof ChangeProject>;

// `DELETE /api/dashboard/projects/{projectId}`: with its empty boards; admins. 204.
// Errors: 404 `project_not_found`, 409 `not_empty` (it has tickets).

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
  text: Type.Optional(Text({ maxLength: 200, description: "Part of the title or description, in any letter case." })),
  assignee: Type.Optional(UuidOrNone('A user id, or "none" for cards without an assignee.')),
  priority: Type.Optional(Type.Enum([...priorities])),
};

/** Query of `GET /api/dashboard/boards/{boardId}`: which cards. All that are given must hold. */
export const CardFilter = Type.Object(filter, closed);
export type CardFilter = Type.Static<typeof CardFilter>;

/** Query of `GET /api/dashboard/columns/{columnId}/cards`: which cards, and from where on. */
export const CardQuery = Type.Object(
  {
    ...filter,
    cursor: Type.Optional(Type.String({ maxLength: 500, description: "A `nextCursor`, with the same filter." })),
  },
  closed,
);
export type CardQuery = Type.Static<typeof CardQuery>;

/** Answer of `GET /api/dashboard/columns/{columnId}/cards?cursor=…`; every role. Errors: 404 `column_not_found`. */
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

/** Answer of `GET /api/dashboard/boards/{boardId}`; every role. Each column with its topmost cards. Errors: 404 `board_not_found`. */
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

/** `POST /api/dashboard/boards`; every role. 201 `BoardSummary`. Errors: 404 `project_not_found`. */
export const CreateBoard = Type.Object(
  {
    projectId: Uuid("The project that it goes into."),
    name: Name,
    columns: Type.Optional(
      Type.Array(Name, { minItems: 1, maxItems: 100, description: "From left to right; default To do, Doing, Done." }),
    ),
  },
  { ...closed, description: "A board to make." },
);
export type CreateBoard = Type.Static<typeof CreateBoard>;

/** `PATCH /api/dashboard/boards/{boardId}`; every role. 200 `BoardSummary`. Errors: 404 `board_not_found`. */
export const ChangeBoard = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index) },
  { ...closed, minProperties: 1, description: "A board's new name, or its place in its project." },
);
export type ChangeBoard = Type.Static<typeof ChangeBoard>;

// `DELETE /api/dashboard/boards/{boardId}`; every role. 204. Errors: 404 `board_not_found`, 409 `not_empty` (it has tickets).

/** `POST /api/dashboard/columns`: on the right; every role. 201 `ColumnSummary`. Errors: 404 `board_not_found`, 409 `too_many`. */
export const CreateColumn = Type.Object(
  { boardId: Uuid("The board that it goes onto."), name: Name },
  { ...closed, description: "A column to make." },
);
export type CreateColumn = Type.Static<typeof CreateColumn>;

/** `PATCH /api/dashboard/columns/{columnId}`; every role. 200 `ColumnSummary`. Errors: 404 `column_not_found`. */
export const ChangeColumn = Type.Object(
  { name: Type.Optional(Name), index: Type.Optional(Index) },
  { ...closed, minProperties: 1, description: "A column's new name, or its place on its board." },
);
export type ChangeColumn = Type.Static<typeof ChangeColumn>;

// `DELETE /api/dashboard/columns/{columnId}`; every role. 204.
// Errors: 404 `column_not_found`, 409 `not_empty` (it has cards), 409 `last_column` (a board keeps one).
