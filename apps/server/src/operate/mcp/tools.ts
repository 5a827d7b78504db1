import * as problems from "@lodge/contract/apiproblems";
import { Reach } from "@lodge/contract/projects";
import type { Permission } from "@lodge/contract/roles";
import { TicketReference, Uuid } from "@lodge/contract/text";
import * as tickets from "@lodge/contract/tickets";
import Type, { type TObject, type TSchema } from "typebox";
import { listReach } from "../../board/projects/list-reach.ts";
import { fileTicket } from "../../board/tickets/file-ticket.ts";
import { listTickets } from "../../board/tickets/list-tickets.ts";
import { findTicketId, showTicket } from "../../board/tickets/show-ticket.ts";
import { commentOnTicket } from "../../board/tickets/ticket-comments.ts";
import { updateTicket } from "../../board/tickets/update-ticket.ts";
import { listProblems, readProblem } from "../../inbox/problems/list-problems.ts";
import { readEvent } from "../../inbox/problems/read-problem-events.ts";
import { updateProblem } from "../../inbox/problems/update-problem.ts";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";

/** A tool of the MCP server (contract section 8). */
export type Tool = {
  name: string;
  description: string;
  permission: Permission;
  input: TObject;
  output: TSchema;
  /** Whether it changes nothing. */
  isReading: boolean;
  /** Whether its result contains text that strangers wrote. */
  isUntrusted: boolean;
  call: (deps: Deps, token: Token, input: never) => Promise<object>;
};

const tool = <Input extends TObject>(
  described: Omit<Tool, "input" | "call"> & {
    input: Input;
    call: (deps: Deps, token: Token, input: Type.Static<Input>) => Promise<object>;
  },
): Tool => described as Tool;

const closed = { additionalProperties: false } as const;
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "The number to return, 1 to 100." }));
const ticket = { ticket: TicketReference("The ticket's id, or its number like WEB-12.") };
const text = <Query extends { limit?: number | undefined }>({ limit: count, ...query }: Query) => ({
  ...query,
  ...(count !== undefined && { limit: `${count}` }),
});
/** Parses the response body of a use case. A tool request has no Idempotency-Key, so nothing is replayed. */
const parsed = async (answer: Promise<{ body: string } | { replay: unknown }>): Promise<object> => {
  const given = await answer;
  if (!("body" in given)) throw new Error("a request without a key was replayed");
  return JSON.parse(given.body) as object;
};

const ofTickets = [
  tool({
    name: "list_projects",
    description:
      "Lists the projects that you have access to, with their boards, columns and repositories, and all members.",
    permission: "projects:read",
    input: Type.Object({}, closed),
    output: Reach,
    isReading: true,
    isUntrusted: false,
    call: (deps, token) => listReach(deps, token),
  }),
  tool({
    name: "search_tickets",
    description: "Lists and searches tickets, most recently changed first. Open ones by default.",
    permission: "tickets:read",
    input: Type.Object({ ...tickets.TicketQuery.properties, limit }, closed),
    output: tickets.TicketList,
    isReading: true,
    isUntrusted: true,
    call: (deps, token, query) => listTickets(deps, token, text(query)),
  }),
  tool({
    name: "get_ticket",
    description: "Returns a ticket with its description, its column and the agent's latest run.",
    permission: "tickets:read",
    input: Type.Object(ticket, closed),
    output: tickets.Ticket,
    isReading: true,
    isUntrusted: true,
    call: async (deps, token, input) => (await showTicket(deps, deps.db, token, input.ticket)).ticket,
  }),
  tool({
    name: "create_ticket",
    description:
      "Files a ticket onto a board. With `problem`, adds an occurrence to the problem's open ticket if there is one.",
    permission: "tickets:write",
    input: tickets.FileTicket,
    output: Type.Unsafe({ type: "object", anyOf: [tickets.FiledTicket, tickets.NothingToResolve] }),
    isReading: false,
    isUntrusted: true,
    call: (deps, token, input) => parsed(fileTicket(deps, token, input, undefined)),
  }),
  tool({
    name: "update_ticket",
    description: "Changes, moves, closes (`done: true`) or archives a ticket. Omitted fields stay as they are.",
    permission: "tickets:edit",
    input: Type.Object({ ...ticket, ...tickets.UpdateTicket.properties }, closed),
    output: tickets.Ticket,
    isReading: false,
    isUntrusted: true,
    call: async (deps, token, { ticket: reference, ...changes }) => {
      const id = await findTicketId(deps.db, token.organisationId, reference);
      return parsed(updateTicket(deps, token, id, changes));
    },
  }),
  tool({
    name: "comment_on_ticket",
    description: "Writes a comment on a ticket. Everybody who follows it gets a notification.",
    permission: "tickets:edit",
    input: Type.Object({ ...ticket, ...tickets.CommentOnTicket.properties }, closed),
    output: tickets.TicketComment,
    isReading: false,
    isUntrusted: false,
    call: async (deps, token, { ticket: reference, ...comment }) => {
      const id = await findTicketId(deps.db, token.organisationId, reference);
      return parsed(commentOnTicket(deps, token, id, comment));
    },
  }),
];

const ofProblems = [
  tool({
    name: "search_problems",
    description: "Lists and searches the problems of apps: groups of reports with one cause. Open ones by default.",
    permission: "problems:read",
    input: Type.Object({ ...problems.ProblemQuery.properties, limit }, closed),
    output: problems.ProblemList,
    isReading: true,
    isUntrusted: true,
    call: (deps, token, query) => listProblems(deps, token, text(query)),
  }),
  tool({
    name: "get_problem",
    description: "Returns a problem: what it is, how often and where it occurs, and its ticket.",
    permission: "problems:read",
    input: Type.Object({ id: Uuid("The problem.") }, closed),
    output: problems.Problem,
    isReading: true,
    isUntrusted: true,
    call: (deps, token, { id }) => readProblem(deps, token, id.toLowerCase()),
  }),
  tool({
    name: "get_event",
    description: "Returns an event: its error with the stack, its breadcrumbs, tags and attachments.",
    permission: "problems:read",
    input: Type.Object({ id: Uuid("The event.") }, closed),
    output: problems.ProblemEvent,
    isReading: true,
    isUntrusted: true,
    call: (deps, token, { id }) => readEvent(deps, token, id),
  }),
  tool({
    name: "update_problem",
    description: "Resolves, reopens or mutes a problem.",
    permission: "problems:edit",
    input: Type.Object({ id: Uuid("The problem."), ...problems.UpdateProblem.properties }, closed),
    output: problems.Problem,
    isReading: false,
    isUntrusted: true,
    call: (deps, token, { id, ...input }) => parsed(updateProblem(deps, token, id.toLowerCase(), input)),
  }),
];

/** The tools of the MCP server, in the order of the list. */
export const tools: readonly Tool[] = [...ofTickets, ...ofProblems];
