import Type from "typebox";
import { bulkTicketsMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { Timestamp, Uuid } from "../text.ts";
import { ArchiveQuery, Card } from "./boards.ts";
import { dashboard } from "./operation.ts";

/** The trash of a project: deleted tickets, for 30 days. Everybody sees and restores them; admins delete them permanently. */

const closed = { additionalProperties: false } as const;

/** A ticket in the trash. */
export const TrashedTicket = Type.Object(
  {
    id: Uuid("The ticket."),
    number: Type.Union([Type.String(), Type.Null()], { description: "Its number, like WEB-12." }),
    title: Type.String({ description: "The title." }),
    projectId: Uuid("Its project."),
    boardId: Uuid("The board it was on, which may have been deleted since."),
    deletedAt: Timestamp("When it was deleted."),
    deletedBy: Type.String({ description: "The name of the person who deleted it." }),
    purgedAt: Timestamp("When its 30 days in the trash end. Lodge then deletes it permanently, within a day."),
  },
  { description: "A ticket in the trash." },
);
export type TrashedTicket = Type.Static<typeof TrashedTicket>;

/** A page of the tickets in the trash of a project. */
export const TrashPage = Type.Object(
  {
    tickets: Type.Array(TrashedTicket, { description: "Most recently deleted first, at most 50." }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "A page of the trash of a project." },
);
export type TrashPage = Type.Static<typeof TrashPage>;

/** Tickets to restore, all or nothing. */
export const RestoreTickets = Type.Object(
  {
    ticketIds: Type.Array(Uuid("A ticket."), {
      minItems: 1,
      maxItems: bulkTicketsMax,
      description: "The tickets to restore.",
    }),
  },
  { ...closed, description: "The tickets to restore from the trash." },
);
export type RestoreTickets = Type.Static<typeof RestoreTickets>;

/** The tickets that were restored. */
export const RestoredTickets = Type.Object(
  { cards: Type.Array(Card, { description: "The restored tickets, in the order of the request." }) },
  { description: "The restored tickets." },
);
export type RestoredTickets = Type.Static<typeof RestoredTickets>;

const projectPath = pathId("projectId", "project_not_found", "The project.");
const ticketPath = pathId("ticketId", "ticket_not_found", "The ticket.");

export const listTrash = dashboard({
  id: "listTrash",
  method: "GET",
  path: "/api/dashboard/projects/{projectId}/trash",
  role: "member",
  params: projectPath,
  query: ArchiveQuery,
  answers: { 200: TrashPage },
  errors: ["project_not_found"],
  summary: "List the tickets in the trash of a project",
  staleAfter: ["ticket.deleted", "ticket.restored", "board.changed"],
});

export const emptyTrash = dashboard({
  id: "emptyTrash",
  method: "DELETE",
  path: "/api/dashboard/projects/{projectId}/trash",
  role: "admin",
  params: projectPath,
  answers: noContent,
  errors: ["project_not_found"],
  summary: "Permanently delete all tickets in the trash of a project",
});

export const getTrashedTicket = dashboard({
  id: "getTrashedTicket",
  method: "GET",
  path: "/api/dashboard/trash/{ticketId}",
  role: "member",
  params: ticketPath,
  answers: { 200: TrashedTicket },
  errors: ["ticket_not_found"],
  summary: "Get a ticket in the trash",
  staleAfter: ["ticket.deleted", "ticket.restored"],
});

export const purgeTicket = dashboard({
  id: "purgeTicket",
  method: "DELETE",
  path: "/api/dashboard/trash/{ticketId}",
  role: "admin",
  params: ticketPath,
  answers: noContent,
  errors: ["ticket_not_found"],
  summary: "Permanently delete a ticket in the trash",
});

export const restoreTickets = dashboard({
  id: "restoreTickets",
  method: "POST",
  path: "/api/dashboard/trash/restore",
  role: "member",
  body: RestoreTickets,
  answers: { 200: RestoredTickets },
  errors: ["ticket_not_found", "column_not_found"],
  summary: "Restore tickets from the trash",
  description:
    "Restores all tickets or none, each to its previous column. If that column was deleted, the ticket goes to the first column of its board, or of its project.",
});
