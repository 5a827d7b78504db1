import Type from "typebox";
import { reportKinds } from "../envelope.ts";
import { filterLengthMax } from "../limits.ts";
import { Text, Uuid } from "../text.ts";
import { BoardSummary } from "./boards.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: one search over the tickets of every board, and the problems and reports of every app. */

const closed = { additionalProperties: false } as const;

/** A search. */
export const SearchQuery = Type.Object(
  {
    text: Text({
      minLength: 1,
      maxLength: filterLengthMax,
      description:
        "Part of a title, a description or a report's text, ignoring case; a number like WEB-214; or the full `reportId` of a report. A query of one or two characters searches only the newest 2,000 tickets.",
    }),
  },
  closed,
);
export type SearchQuery = Type.Static<typeof SearchQuery>;

/** A matching ticket with its place. */
export const FoundCard = Type.Object(
  {
    id: Uuid("The ticket."),
    number: Type.Union([Type.String(), Type.Null()], {
      description: "The ticket's number, like WEB-214. Null until Lodge assigns one.",
    }),
    title: Type.String({ description: "The title of the ticket." }),
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "The name." }) }),
    board: BoardSummary,
    archived: Type.Boolean({ description: "Whether the ticket is archived." }),
    column: Type.Object({ id: Uuid("The column."), name: Type.String({ description: "The name." }) }),
  },
  { description: "A matching ticket." },
);
export type FoundCard = Type.Static<typeof FoundCard>;

/** A matching problem with its app. */
export const FoundProblem = Type.Object(
  {
    id: Uuid("The problem."),
    title: Type.String({ description: "The title." }),
    app: Type.Object({ id: Uuid("The app."), name: Type.String({ description: "The name." }) }),
  },
  { description: "A matching problem." },
);
export type FoundProblem = Type.Static<typeof FoundProblem>;

/** A matching report with its app. */
export const FoundReport = Type.Object(
  {
    id: Uuid("The event."),
    kind: Type.Enum([...reportKinds], { description: "The kind of the report." }),
    title: Type.String({ description: "The title." }),
    app: Type.Object({ id: Uuid("The app."), name: Type.String({ description: "The name." }) }),
  },
  { description: "A matching report." },
);
export type FoundReport = Type.Static<typeof FoundReport>;

/** The matching tickets, problems and reports. */
export const FoundCards = Type.Object(
  {
    cards: Type.Array(FoundCard, {
      description: "Matches of the number first, then of the title, then of the description, newest first, at most 20.",
    }),
    problems: Type.Array(FoundProblem, {
      description: "Most recently seen first, at most 5. Needs at least three characters.",
    }),
    reports: Type.Array(FoundReport, {
      description:
        "Reports with this `reportId` first, then matching reports without a problem, such as feedback, newest first. At most 5. Needs at least three characters.",
    }),
  },
  { description: "The matching tickets, problems and reports." },
);
export type FoundCards = Type.Static<typeof FoundCards>;

export const searchCards = dashboard({
  id: "searchCards",
  method: "GET",
  path: "/api/dashboard/search",
  role: "member",
  query: SearchQuery,
  answers: { 200: FoundCards },
  errors: ["rate_limit_exceeded"],
  summary: "Search tickets, problems and reports",
});
