import Type from "typebox";
import { pathId } from "../operation.ts";
import { Uuid } from "../text.ts";
import { BoardSummary, Card, ColumnSummary } from "./boards.ts";
import { dashboard } from "./operation.ts";

/**
 * The dashboard's API for a member's own work: the tickets that they are assigned to or follow, and whether they follow a
 * ticket.
 */

const closed = { additionalProperties: false } as const;

/** An open ticket of the member's work, with its place. */
export const WorkCard = Type.Intersect([
  Card,
  Type.Object({
    project: Type.Object({ id: Uuid("The project."), name: Type.String({ description: "The name." }) }),
    board: BoardSummary,
    column: ColumnSummary,
  }),
]);
export type WorkCard = Type.Static<typeof WorkCard>;

/** The query for a page of the member's work. */
export const WorkQuery = Type.Object(
  {
    show: Type.Optional(
      Type.Enum(["assigned", "followed"], {
        description:
          "`assigned` (the default): the tickets assigned to you. `followed`: others that you filed, commented on or chose to follow, except those that you muted.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 60, description: "A `nextCursor` from an earlier response with the same `show`." }),
    ),
  },
  closed,
);
export type WorkQuery = Type.Static<typeof WorkQuery>;

/** A page of the member's work. */
export const WorkPage = Type.Object(
  {
    cards: Type.Array(WorkCard, {
      description:
        "The open tickets, at most 50, sorted by due date. Tickets without a due date come last, newest first.",
    }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "The open tickets that the member is assigned to or follows." },
);
export type WorkPage = Type.Static<typeof WorkPage>;

const state = Type.Enum(["automatic", "watching", "muted"], {
  description:
    "`automatic`: you follow the ticket if you filed it, are assigned to it or commented on it. `watching`: you always follow it. `muted`: you are notified only of mentions.",
});

/** Whether the member follows a ticket. */
export const Following = Type.Object(
  { state, isFollowing: Type.Boolean({ description: "Whether you are notified of comments on the ticket." }) },
  { description: "Whether the member follows a ticket." },
);
export type Following = Type.Static<typeof Following>;

/** The member's setting for a ticket: watch it, mute it, or neither. */
export const ChangeFollowing = Type.Object({ state }, { ...closed, description: "The new setting." });
export type ChangeFollowing = Type.Static<typeof ChangeFollowing>;

const ticketPath = pathId("ticketId", "ticket_not_found", "The ticket.");

export const listWork = dashboard({
  id: "listWork",
  method: "GET",
  path: "/api/dashboard/work",
  role: "member",
  query: WorkQuery,
  answers: { 200: WorkPage },
  errors: [],
  summary: "List the tickets that you are assigned to or follow",
  staleAfter: [
    "ticket.filed",
    "ticket.changed",
    "ticket.moved",
    "ticket.archived",
    "ticket.restored",
    "ticket.deleted",
    "notices.changed",
    "board.changed",
    "projects.changed",
  ],
});

export const getFollowing = dashboard({
  id: "getFollowing",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/following",
  role: "member",
  params: ticketPath,
  answers: { 200: Following },
  errors: ["ticket_not_found"],
  summary: "Check whether you follow a ticket",
  staleAfter: ["ticket.changed", "ticket.commented", "notices.changed"],
});

export const changeFollowing = dashboard({
  id: "changeFollowing",
  method: "PATCH",
  path: "/api/dashboard/tickets/{ticketId}/following",
  role: "member",
  params: ticketPath,
  body: ChangeFollowing,
  answers: { 200: Following },
  errors: ["ticket_not_found"],
  summary: "Follow or mute a ticket",
});
