import Type from "typebox";
import { csvColumnsMax, csvProblemsMax, csvRowsMax, filenameLengthMax, idempotencyKeyLengthMax } from "../limits.ts";
import { pathId } from "../operation.ts";
import { NullableTimestamp, NullableUuid, Text, Timestamp, Uuid } from "../text.ts";
import { CardFilter } from "./boards.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for tickets as CSV: exporting a board, importing a file, undoing an import. Open to every role. */

const closed = { additionalProperties: false } as const;

/** The fields of a ticket that a column of a CSV file can have. */
export const csvFields = [
  "title",
  "description",
  "column",
  "priority",
  "labels",
  "assignee",
  "startsAt",
  "dueAt",
] as const;
export type CsvField = (typeof csvFields)[number];

const choices = {
  fields: Type.Optional(
    Text({
      maxLength: csvColumnsMax * 12,
      description:
        "The field of each CSV column, separated by commas: `title`, `description`, `column`, `priority`, `labels`, `assignee`, `startsAt`, `dueAt`, or nothing to skip the column. Only `labels` can be named more than once. Guessed from the header if omitted.",
    }),
  ),
  unknownColumn: Type.Optional(
    Type.Enum(["leftmost", "refuse"], {
      description:
        "What to do with a ticket whose column does not exist on the board. Defaults to `leftmost`, which puts it in the leftmost column.",
    }),
  ),
  unknownLabel: Type.Optional(
    Type.Enum(["create", "skip", "refuse"], {
      description: "What to do with a label that does not exist. Defaults to `create`.",
    }),
  ),
  unknownAssignee: Type.Optional(
    Type.Enum(["nobody", "refuse"], {
      description:
        "What to do with a ticket whose assignee is not a member. Defaults to `nobody`, which leaves it unassigned.",
    }),
  ),
};

/** How to read a CSV file. */
export const CsvChoices = Type.Object(choices, closed);
export type CsvChoices = Type.Static<typeof CsvChoices>;

/** How to import a CSV file, and its name. */
export const ImportQuery = Type.Object(
  {
    ...choices,
    filename: Text({ minLength: 1, maxLength: filenameLengthMax, description: "The name of the file." }),
  },
  closed,
);
export type ImportQuery = Type.Static<typeof ImportQuery>;

const Unknown = (what: string) =>
  Type.Object(
    {
      count: Type.Integer({ description: `The number of different ${what}.` }),
      names: Type.Array(Type.String(), { description: `The first ${what}, at most ${csvProblemsMax}.` }),
    },
    { description: `The unknown ${what} in the file.` },
  );

/** The result that an import of a CSV file would have. */
export const ImportPreview = Type.Object(
  {
    rowCount: Type.Integer({ description: "The number of tickets in the file." }),
    columns: Type.Array(
      Type.Object({
        header: Type.String({ description: "The header of the column." }),
        field: Type.Union([Type.Enum([...csvFields]), Type.Null()], {
          description: "The ticket's field that the column fills. Null if the column is skipped.",
        }),
        samples: Type.Array(Type.String(), { description: "The start of its first 3 values." }),
      }),
      { description: "The columns of the file." },
    ),
    newColumns: Unknown("board columns"),
    newLabels: Unknown("labels"),
    newPeople: Unknown("assignees"),
    problemCount: Type.Integer({ description: "The number of lines that cannot be imported." }),
    problems: Type.Array(
      Type.Object({
        line: Type.Integer({ description: "The line in the file, from 1." }),
        message: Type.String({ description: "The error, in one sentence." }),
      }),
      { description: `The first lines that cannot be imported, at most ${csvProblemsMax}.` },
    ),
  },
  { description: "The result that an import would have." },
);
export type ImportPreview = Type.Static<typeof ImportPreview>;

/** The tickets of an import that was undone: deleted and kept. */
export const UndoneImport = Type.Object(
  {
    deletedCount: Type.Integer({ description: "The number of tickets that were moved to the trash." }),
    keptCount: Type.Integer({ description: "The number of tickets that were kept because they were changed." }),
    kept: Type.Array(
      Type.Object({
        id: Uuid("The ticket."),
        title: Type.String({ description: "The title." }),
      }),
      { description: `The first tickets that were kept, at most ${csvProblemsMax}.` },
    ),
  },
  { description: "The tickets deleted and kept by the undo." },
);
export type UndoneImport = Type.Static<typeof UndoneImport>;

/** An import of a CSV file. */
export const CardImport = Type.Object(
  {
    id: Uuid("The import."),
    filename: Type.String({ description: "The name of the file." }),
    cardCount: Type.Integer({ description: "The number of tickets that were created." }),
    unassigned: Unknown("assignees"),
    createdAt: Timestamp("When the file was imported."),
    createdBy: Type.Object({
      id: NullableUuid("The person. Null if they were deleted."),
      name: Type.String({ description: "The name of the person who imported the file." }),
    }),
    undoneAt: NullableTimestamp("When the import was undone. Null if it was not."),
    undone: Type.Union([UndoneImport, Type.Null()], {
      description: "The tickets deleted and kept by the undo. Null if not undone.",
    }),
  },
  { description: "An import of a CSV file." },
);
export type CardImport = Type.Static<typeof CardImport>;

/** The imports of a board. */
export const CardImportList = Type.Object(
  { imports: Type.Array(CardImport, { description: "The imports of the last 30 days, newest first, at most 50." }) },
  { description: "The imports of a board." },
);
export type CardImportList = Type.Static<typeof CardImportList>;

const boardPath = pathId("boardId", "board_not_found", "The board.");
const csvBody = {
  media: "text/csv",
  description: `A CSV file in UTF-8 of at most 10 MB and ${csvRowsMax} rows, with a header. Cells are separated by commas, semicolons or tabs.`,
} as const;

export const exportCards = dashboard({
  id: "exportCards",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}/cards.csv",
  role: "member",
  params: boardPath,
  query: CardFilter,
  answers: {
    200: {
      media: "text/csv",
      description:
        "The tickets as CSV in UTF-8 (RFC 4180), column by column, from top to bottom. A cell that a spreadsheet would run as a formula begins with an apostrophe, which an import removes.",
      schema: Type.String({ contentMediaType: "text/csv" }),
    },
  },
  errors: ["board_not_found", "rate_limit_exceeded"],
  summary: "Export the tickets of a board as CSV",
  description: "Exports all tickets that match the filter, without a limit. Leaves out archived tickets.",
});

export const previewImport = dashboard({
  id: "previewImport",
  method: "POST",
  path: "/api/dashboard/boards/{boardId}/imports/preview",
  role: "member",
  params: boardPath,
  query: CsvChoices,
  body: csvBody,
  answers: { 200: ImportPreview },
  errors: ["board_not_found", "invalid_csv", "request_timeout"],
  summary: "Preview an import of a CSV file",
  description: "Imports nothing. At most 30 requests per minute per person, together with `importCards`.",
});

export const importCards = dashboard({
  id: "importCards",
  method: "POST",
  path: "/api/dashboard/boards/{boardId}/imports",
  role: "member",
  params: boardPath,
  query: ImportQuery,
  headers: Type.Object({
    "idempotency-key": Type.String({
      minLength: 1,
      maxLength: idempotencyKeyLengthMax,
      description:
        "Required. Makes retries safe: reusing a key returns the existing import. Keys are scoped to the person.",
    }),
  }),
  body: csvBody,
  answers: { 201: CardImport },
  errors: [
    "invalid_idempotency_key",
    "board_not_found",
    "invalid_csv",
    "column_not_found",
    "not_a_member",
    "request_timeout",
  ],
  summary: "Import tickets from a CSV file",
  description:
    "Creates all tickets or none. Nobody is notified, and webhooks are not called. The AI agent counts as an unknown assignee, so an import starts no runs.",
});

export const listImports = dashboard({
  id: "listImports",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}/imports",
  role: "member",
  params: boardPath,
  answers: { 200: CardImportList },
  errors: ["board_not_found"],
  summary: "List the imports of a board",
  staleAfter: ["board.changed"],
});

export const undoImport = dashboard({
  id: "undoImport",
  method: "POST",
  path: "/api/dashboard/imports/{importId}/undo",
  role: "member",
  params: pathId("importId", "import_not_found", "The import."),
  answers: { 200: UndoneImport },
  errors: ["import_not_found", "forbidden"],
  summary: "Undo an import",
  description:
    "Moves its tickets to the trash, except those that somebody has changed since. Members can undo their own imports, owners and admins any import. Repeating the request returns the same response.",
});
