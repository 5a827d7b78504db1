import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Card } from "@lodge/contract/dashboard/boards";
import {
  ActivityPage,
  ChangeTicket,
  Comment,
  CommentPage,
  CreateTicket,
  MoveTicket,
  PageQuery,
  TicketDetails,
  TicketPlace,
  WriteComment,
} from "@lodge/contract/dashboard/tickets";
import { requireActor } from "../access/require-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { dashboardSchema } from "../platform/http/dashboard-schema.ts";
import { pathId } from "../platform/http/path-ids.ts";
import { changeTicket } from "./change-ticket.ts";
import { createTicket } from "./create-ticket.ts";
import { findTicketPlace } from "./find-ticket-place.ts";
import { listActivities } from "./list-activities.ts";
import { listComments } from "./list-comments.ts";
import { moveTicket } from "./move-ticket.ts";
import { readTicket } from "./read-ticket.ts";
import { writeComment } from "./write-comment.ts";

const ticketPath = pathId("ticketId", "ticket_not_found", "The ticket.");

/** Tickets, their comments and their history, below `/api/dashboard`, for every member. */
export const dashboardTicketRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const onRequest = requireActor(deps, "member");

    app.post(
      "/tickets",
      {
        onRequest,
        schema: {
          ...dashboardSchema("member", "createTicket", "File a ticket as a person", { 201: TicketDetails }),
          body: CreateTicket,
        },
      },
      async (request, reply) => reply.code(201).send(await createTicket(deps, request.actor, request.body)),
    );
    app.get(
      "/tickets/:ticketId",
      {
        onRequest,
        schema: {
          ...dashboardSchema("member", "getTicket", "Show a ticket", { 200: TicketDetails }),
          params: ticketPath,
        },
      },
      ({ actor, params }) => readTicket(deps, deps.db, actor.organisationId, params.ticketId),
    );
    app.get(
      "/tickets/:ticketId/place",
      {
        onRequest: requireActor(deps, "signed-in"),
        schema: {
          ...dashboardSchema("signed-in", "getTicketPlace", "Say where a deep link leads", { 200: TicketPlace }),
          params: ticketPath,
        },
      },
      (request) => findTicketPlace(deps, request.signedIn, request.params.ticketId),
    );
    app.patch(
      "/tickets/:ticketId",
      {
        onRequest,
        schema: {
          ...dashboardSchema("member", "changeTicket", "Change a ticket", { 200: TicketDetails }),
          params: ticketPath,
          body: ChangeTicket,
        },
      },
      (request) => changeTicket(deps, request.actor, request.params.ticketId, request.body),
    );
    app.post(
      "/tickets/:ticketId/move",
      {
        onRequest,
        schema: {
          ...dashboardSchema("member", "moveTicket", "Move a card", { 200: Card }),
          params: ticketPath,
          body: MoveTicket,
        },
      },
      (request) => moveTicket(deps, request.actor, request.params.ticketId, request.body),
    );
    app.get(
      "/tickets/:ticketId/comments",
      {
        onRequest,
        schema: {
          ...dashboardSchema("member", "listComments", "List the comments on a ticket", { 200: CommentPage }),
          params: ticketPath,
          querystring: PageQuery,
        },
      },
      (request) => listComments(deps, request.actor, request.params.ticketId, request.query),
    );
    app.post(
      "/tickets/:ticketId/comments",
      {
        onRequest,
        schema: {
          ...dashboardSchema("member", "writeComment", "Comment on a ticket", { 201: Comment }),
          params: ticketPath,
          body: WriteComment,
        },
      },
      async (request, reply) =>
        reply.code(201).send(await writeComment(deps, request.actor, request.params.ticketId, request.body)),
    );
    app.get(
      "/tickets/:ticketId/activities",
      {
        onRequest,
        schema: {
          ...dashboardSchema("member", "listActivities", "Show the history of a ticket", { 200: ActivityPage }),
          params: ticketPath,
          querystring: PageQuery,
        },
      },
      (request) => listActivities(deps, request.actor, request.params.ticketId, request.query),
    );
  };
