import * as tickets from "@lodge/contract/dashboard/tickets";
import * as trash from "@lodge/contract/dashboard/trash";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { changeComment, deleteComment } from "./change-comment.ts";
import { changeTicket } from "./change-ticket.ts";
import { changeTickets } from "./change-tickets.ts";
import { createTicket } from "./create-ticket.ts";
import { deleteTickets } from "./delete-tickets.ts";
import { emptyTrash, purgeTicket } from "./empty-trash.ts";
import { findTicketPlace } from "./find-ticket-place.ts";
import { listActivities } from "./list-activities.ts";
import { listAuthors } from "./list-authors.ts";
import { listComments } from "./list-comments.ts";
import { listTrash, showTrashed } from "./list-trash.ts";
import { moveTicket } from "./move-ticket.ts";
import { readTexts } from "./read-texts.ts";
import { readTicket } from "./read-ticket.ts";
import { restoreTickets } from "./restore-tickets.ts";
import { usableKeyOf } from "./serve-change.ts";
import { writeComment } from "./write-comment.ts";

/** Tickets, their comments and their history. */
export function dashboardTicketRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, tickets.createTicket, (request) => createTicket(deps, request.actor, request.body, usableKeyOf(request)));
  serve(app, tickets.getTicket, ({ actor, params }) =>
    readTicket(deps, deps.db, actor.organisationId, params.ticketId),
  );
  serve(app, tickets.getTicketPlace, ({ signedIn, params }) => findTicketPlace(deps, signedIn, params.ticketId));
  serve(app, tickets.changeTicket, ({ actor, params, body }) => changeTicket(deps, actor, params.ticketId, body));
  serve(app, tickets.moveTicket, ({ actor, params, body }) => moveTicket(deps, actor, params.ticketId, body));

  serve(app, tickets.changeTickets, ({ actor, body }) => changeTickets(deps, actor, body));
  serve(app, tickets.deleteTicket, ({ actor, params }) => deleteTickets(deps, actor, [params.ticketId]));
  serve(app, tickets.deleteTickets, ({ actor, body }) => deleteTickets(deps, actor, body.ticketIds));

  serve(app, trash.listTrash, ({ actor, params, query }) => listTrash(deps, actor, params.projectId, query));
  serve(app, trash.emptyTrash, ({ actor, params }) => emptyTrash(deps, actor, params.projectId));
  serve(app, trash.getTrashedTicket, ({ actor, params }) => showTrashed(deps, actor, params.ticketId));
  serve(app, trash.purgeTicket, ({ actor, params }) => purgeTicket(deps, actor, params.ticketId));
  serve(app, trash.restoreTickets, ({ actor, body }) => restoreTickets(deps, actor, body.ticketIds));

  serve(app, tickets.listComments, ({ actor, params, query }) => listComments(deps, actor, params.ticketId, query));
  serve(app, tickets.writeComment, (request) =>
    writeComment(deps, request.actor, request.params.ticketId, request.body, { key: usableKeyOf(request) }),
  );
  serve(app, tickets.changeComment, ({ actor, params, body }) => changeComment(deps, actor, params, body));
  serve(app, tickets.deleteComment, ({ actor, params }) => deleteComment(deps, actor, params));
  serve(app, tickets.readTexts, ({ actor, params }) => readTexts(deps, actor, params));
  serve(app, tickets.listAuthors, ({ actor }) => listAuthors(deps, actor));
  serve(app, tickets.listActivities, ({ actor, params, query }) => listActivities(deps, actor, params.ticketId, query));
}
