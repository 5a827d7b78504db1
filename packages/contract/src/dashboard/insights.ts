import Type from "typebox";
import { pathId } from "../operation.ts";
import { CalendarDate, NullableUuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for the statistics of a board over time. Open to every role. */

const ticketCount = (description: string) => Type.Integer({ minimum: 0, description });
const seconds = (description: string) => Type.Integer({ minimum: 0, description });

const CycleTime = Type.Union(
  [
    Type.Object({
      medianSeconds: seconds("The median."),
      p90Seconds: seconds("The 90th percentile."),
    }),
    Type.Null(),
  ],
  { description: "The time from creation to completion of the tickets counted in `done`. Null if there are none." },
);

const figures = {
  created: ticketCount("The number of tickets created in the period."),
  done: ticketCount("The number of tickets done in the period."),
  cycleTime: CycleTime,
  openByAge: Type.Array(ticketCount("The number of tickets."), {
    description:
      "The number of open tickets by age: one for each upper bound in `ageBoundsDays`, then one for older tickets.",
  }),
};
const Figures = Type.Object(figures, { description: "The statistics of these tickets." });
export type Figures = Type.Static<typeof Figures>;

/** The statistics of a board by week, author and label. */
export const Insights = Type.Object(
  {
    weeks: Type.Array(
      Type.Object({
        startsOn: CalendarDate("The Monday on which the week starts, at midnight UTC."),
        created: ticketCount("The number of tickets created in the week."),
        done: ticketCount("The number of tickets done in the week."),
        cycleTime: CycleTime,
      }),
      { description: "Oldest first. The last one is the current week." },
    ),
    ageBoundsDays: Type.Array(Type.Integer(), {
      description: "The upper bounds, in days, of the age groups of open tickets.",
    }),
    total: Type.Object(figures, { description: "The statistics of all tickets of the board." }),
    authors: Type.Array(
      Type.Object({
        ...figures,
        kind: Type.Enum(["token", "person", "app"], { description: "The kind of author." }),
        id: NullableUuid("The token, user or app. Null if it was deleted."),
        name: Type.String({ description: "The author's name." }),
      }),
      { description: "The authors with the most tickets created in the period, at most ten." },
    ),
    otherAuthors: Type.Union([Figures, Type.Null()], {
      description: "The tickets of all other authors. Null if there are none.",
    }),
    labels: Type.Array(Type.Object({ ...figures, name: Type.String({ description: "The label." }) }), {
      description:
        "The labels with the most tickets created in the period, at most ten. A ticket counts for each of its labels.",
    }),
    otherLabels: Type.Union([Figures, Type.Null()], {
      description: "The tickets with any other label, each counted once. Null if there are none.",
    }),
    unlabelled: Type.Union([Figures, Type.Null()], {
      description: "The tickets without labels. Null if there are none.",
    }),
  },
  { description: "The statistics of a board, by week, author and label." },
);
export type Insights = Type.Static<typeof Insights>;

/** The weeks to look back. */
export const InsightQuery = Type.Object(
  {
    weeks: Type.Optional(
      Type.Enum(["12", "26"], { description: "The number of weeks, including the current one. Defaults to 12." }),
    ),
  },
  { additionalProperties: false },
);
export type InsightQuery = Type.Static<typeof InsightQuery>;

export const getBoardInsights = dashboard({
  id: "getBoardInsights",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}/insights",
  role: "member",
  params: pathId("boardId", "board_not_found", "The board."),
  query: InsightQuery,
  answers: { 200: Insights },
  errors: ["board_not_found", "rate_limit_exceeded"],
  summary: "Get a board's statistics by week, author and label",
  description:
    "Weeks start on Monday (UTC). A ticket counts on its current board, even if it is archived. Tickets in the trash do not count. A ticket counts as done at its `doneAt`. A reopened ticket no longer counts as done. Archived tickets do not count as open.",
});
