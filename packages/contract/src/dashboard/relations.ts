import Type from "typebox";
import { commentLengthMax, descriptionLengthMax, lookedUpNumbersMax, relationsMax } from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { TicketNumbers, Uuid, VisibleText } from "../text.ts";
import { dashboard } from "./operation.ts";
import { relationKinds, TicketDetails } from "./tickets.ts";

/** The dashboard's API for relations between tickets, for their numbers in texts, and for tasks that become tickets. */

const closed = { additionalProperties: false } as const;

/** The longest number of a ticket: a slug of 50 characters, a hyphen and 9 digits. */
const numberLengthMax = 60;

/** A ticket as relations and links show it. */
export const RelatedCard = Type.Object(
  {
    id: Uuid("The ticket."),
    number: Type.Union([Type.String(), Type.Null()], {
      description: "The ticket's number, like WEB-214. Null until Lodge assigns one.",
    }),
    title: Type.String({ description: "The title of the ticket." }),
    done: Type.Boolean({ description: "Whether the ticket is done." }),
    archived: Type.Boolean({ description: "Whether the ticket is archived." }),
  },
  { description: "A related or linked ticket." },
);
export type RelatedCard = Type.Static<typeof RelatedCard>;

/** The relations of a ticket. */
export const RelationList = Type.Object(
  {
    relations: Type.Array(
      Type.Object({
        kind: Type.Enum([...relationKinds], { description: "The ticket's relation to the related one." }),
        card: RelatedCard,
      }),
      {
        description: `At most ${relationsMax}, by kind, the oldest first. Relations to tickets in the trash are left out.`,
      },
    ),
  },
  { description: "The relations of a ticket." },
);
export type RelationList = Type.Static<typeof RelationList>;

/** A relation to make. */
export const RelateTickets = Type.Object(
  {
    kind: Type.Enum(
      relationKinds.filter((kind) => kind !== "hasDuplicate"),
      { description: "The ticket's relation to the other one." },
    ),
    otherId: Uuid("The other ticket."),
  },
  { ...closed, description: "The relation to create." },
);
export type RelateTickets = Type.Static<typeof RelateTickets>;

/** The numbers to look up. */
export const NumbersQuery = Type.Object(
  {
    numbers: TicketNumbers({
      maxLength: lookedUpNumbersMax * (numberLengthMax + 1),
      description: `At most ${lookedUpNumbersMax} ticket numbers, separated by commas, ignoring case.`,
    }),
  },
  closed,
);
export type NumbersQuery = Type.Static<typeof NumbersQuery>;

/** The tickets that have the numbers. */
export const NumberedCards = Type.Object(
  {
    cards: Type.Array(RelatedCard, {
      description: "Leaves out unknown numbers and tickets in the trash.",
    }),
  },
  { description: "The tickets that have the numbers." },
);
export type NumberedCards = Type.Static<typeof NumberedCards>;

/** A task that becomes a ticket. */
export const MakeTaskCard = Type.Object(
  {
    line: Type.Integer({ minimum: 0, maximum: descriptionLengthMax, description: "The line of the task, from 0." }),
    task: VisibleText({
      maxLength: Math.max(descriptionLengthMax, commentLengthMax),
      description: "The text after the checkbox. If the line has changed since, the request fails with `text_changed`.",
    }),
    commentId: Type.Optional(Uuid("Your comment with the task. Omit it for a task in the description.")),
  },
  { ...closed, description: "The task that becomes a ticket." },
);
export type MakeTaskCard = Type.Static<typeof MakeTaskCard>;

const ticketPath = pathId("ticketId", "ticket_not_found", "The ticket.");

export const listRelations = dashboard({
  id: "listRelations",
  method: "GET",
  path: "/api/dashboard/tickets/{ticketId}/relations",
  role: "member",
  params: ticketPath,
  answers: { 200: RelationList },
  errors: ["ticket_not_found"],
  summary: "List the relations of a ticket",
  staleAfter: ["ticket.changed"],
});

export const relateTickets = dashboard({
  id: "relateTickets",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/relations",
  role: "member",
  params: ticketPath,
  body: RelateTickets,
  answers: { 201: RelationList },
  errors: ["ticket_not_found", "already_related", "duplicate_cycle", "too_many_relations"],
  summary: "Relate a ticket to another one",
  description:
    "Two tickets can have at most one relation. `duplicateOf` moves the ticket's comments and occurrences to the other ticket, and marks this one as done.",
});

export const removeRelation = dashboard({
  id: "removeRelation",
  method: "DELETE",
  path: "/api/dashboard/tickets/{ticketId}/relations/{otherId}",
  role: "member",
  params: pathIds({ ticketId: "The ticket.", otherId: "The other ticket." }, "relation_not_found"),
  answers: noContent,
  errors: ["relation_not_found"],
  summary: "Remove a relation",
  description:
    "Removing the relation to a duplicate moves its comments and occurrences back. It also reopens the duplicate where it was, unless somebody has moved it since.",
});

export const listNumberedCards = dashboard({
  id: "listNumberedCards",
  method: "GET",
  path: "/api/dashboard/numbers",
  role: "member",
  query: NumbersQuery,
  answers: { 200: NumberedCards },
  errors: [],
  summary: "Look up tickets by their numbers",
});

export const makeTaskCard = dashboard({
  id: "makeTaskCard",
  method: "POST",
  path: "/api/dashboard/tickets/{ticketId}/tasks",
  role: "member",
  params: ticketPath,
  body: MakeTaskCard,
  answers: { 201: TicketDetails },
  errors: ["ticket_not_found", "comment_not_found", "forbidden", "text_changed", "too_many_relations"],
  summary: "Create a ticket from a task",
  description:
    "Files a new ticket in the leftmost column of this ticket's board, relates the two, and replaces the task with the new ticket's number.",
});
