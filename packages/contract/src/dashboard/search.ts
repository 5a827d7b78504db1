import Type from "typebox";
import { reportKinds } from "../envelope.ts";
import { filterLengthMax } from "../limits.ts";
import { Text, Uuid } from "../text.ts";
import { BoardSummary } from "./boards.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: one search over the cards of every board, and the problems and reports of every app. */

const closed = { additionalProperties: false } as const;

/** What to look for. */
export const SearchQuery = Type.Object(
  {
    text: Text({
      minLength: 1,
      maxLength: filterLengthMax,
      description:
        "Part of a title, of a description or of what a report says, in any letter case; a number such as WEB-214; or the whole `reportId` of a report. Of one or two characters it is looked for among the newest 2,000 cards alone.",
    }),
  },
  closed,
);
export type SearchQuery = Type.Static<typeof SearchQuery>;

/** A card that was found, with where it lies. */
export const FoundCard = Type.Object(
  {
    id: Uuid("The ticket."),
    number: Type.Union([Type.String(), Type.Null()], {
      description: "What people call it, as WEB-214; null until it has one.",
    }),
    title: Type.String({ description: "What the card says." }),
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "Its name." }) }),
    board: BoardSummary,
    archived: Type.Boolean({ description: "Whether its board no longer shows it." }),
    column: Type.Object({ id: Uuid("The column."), name: Type.String({ description: "Its name." }) }),
  },
  { description: "A card that was found." },
);
export type FoundCard = Type.Static<typeof FoundCard>;

/** A problem that was found, with its app. */
export const FoundProblem = Type.Object(
  {
    id: Uuid("The problem."),
    title: Type.String({ description: "What it is called." }),
    app: Type.Object({ id: Uuid("The app."), name: Type.String({ description: "Its name." }) }),
  },
  { description: "A problem that was found." },
);
export type FoundProblem = Type.Static<typeof FoundProblem>;

/** A report that was found, with its app. */
export const FoundReport = Type.Object(
  {
    id: Uuid("The event."),
    kind: Type.Enum([...reportKinds], { description: "What kind of report it is." }),
    title: Type.String({ description: "What it is called." }),
    app: Type.Object({ id: Uuid("The app."), name: Type.String({ description: "Its name." }) }),
  },
  { description: "A report that was found." },
);
export type FoundReport = Type.Static<typeof FoundReport>;

/** The cards, problems and reports that were found. */
export const FoundCards = Type.Object(
  {
    cards: Type.Array(FoundCard, {
      description:
        "One whose number it is first, then those whose title has the text, then those whose description has it; of each the newest first, at most 20.",
    }),
    problems: Type.Array(FoundProblem, { description: "What was seen last first, at most 5; of three characters on." }),
    reports: Type.Array(FoundReport, {
      description:
        "Reports that belong to no problem, such as feedback, the newest first, of three characters on; before them those with this very `reportId`. At most 5.",
    }),
  },
  { description: "Cards, problems and reports that have a text." },
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
  summary: "Search the cards of every board, problems and reports",
});
