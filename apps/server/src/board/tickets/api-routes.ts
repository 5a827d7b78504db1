import { idempotencyKeyLengthMax, ticketBodyBytesMax } from "@lodge/contract/limits";
import * as tickets from "@lodge/contract/tickets";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { authenticateToken } from "../../people/tokens/authenticate-token.ts";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { askForBody } from "../../platform/http/expect-continue.ts";
import { serve } from "../../platform/http/serve.ts";
import { fileTicket } from "./file-ticket.ts";
import { listTickets } from "./list-tickets.ts";
import { readLabels } from "./read-labels.ts";
import { retryTicketPullRequest } from "./retry-ticket-pull-request.ts";
import { hashSentBody, keyOf, readKeptBody, sendReplay, serveChange } from "./serve-change.ts";
import { findTicketId, showTicket } from "./show-ticket.ts";
import { commentOnTicket, readComments } from "./ticket-comments.ts";
import { updateTicket } from "./update-ticket.ts";

const json = "application/json; charset=utf-8";

/** The tickets of the ticket API: filing (interface section 4.1; contract section 2), reading and changing (section 8). */
export function ticketRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  readKeptBody(app, deps);
  filingRoute(app, deps);
  changeRoutes(app, deps);
  readRoutes(app, deps);
}

function filingRoute(app: FastifyInstance, deps: Deps) {
  serve(
    app,
    tickets.fileTicket,
    async (request, reply) => {
      const key = keyOf(request);
      const idempotency = key === undefined ? undefined : { key, requestSha256: request.bodySha256 };
      const filed = await fileTicket(deps, request.token, request.body, idempotency);
      if ("replay" in filed) return sendReplay(request, reply, filed.replay, request.bodySha256);
      return reply.code(filed.status).type(json).send(filed.body);
    },
    {
      bodyLimit: ticketBodyBytesMax,
      onRequest: async (request, reply) => {
        const key = keyOf(request);
        const usable = key !== undefined && key.length >= 1 && key.length <= idempotencyKeyLengthMax;
        const { token, replay } = await authenticateToken(
          deps,
          request.headers.authorization,
          tickets.fileTicket.credential.permission,
          usable ? key : undefined,
        );
        if (key !== undefined && !usable) throw new Refusal("invalid_idempotency_key");
        request.token = token;
        if (!replay) return;
        askForBody(request, reply);
        return sendReplay(request, reply, replay, await hashSentBody(request));
      },
    },
  );
}

function changeRoutes(app: FastifyInstance, deps: Deps) {
  const find = (request: FastifyRequest) =>
    findTicketId(deps.db, request.token.organisationId, (request.params as { ticket: string }).ticket);
  serveChange(app, deps, tickets.updateTicket, find, ({ token, headers, body }, ticketId, idempotency) =>
    updateTicket(deps, token, ticketId, body, { ifMatch: headers["if-match"], idempotency }),
  );
  serveChange(app, deps, tickets.commentOnTicket, find, ({ token, body }, ticketId, idempotency) =>
    commentOnTicket(deps, token, ticketId, body, idempotency),
  );
  serveChange(app, deps, tickets.retryTicketPullRequest, find, ({ token }, ticketId, idempotency) =>
    retryTicketPullRequest(deps, token, ticketId, idempotency),
  );
}

function readRoutes(app: FastifyInstance, deps: Deps) {
  serve(
    app,
    tickets.readTicket,
    async ({ token, params }, reply) => {
      const { ticket, etag } = await showTicket(deps, deps.db, token, params.ticket);
      reply.header("etag", etag);
      return ticket;
    },
    { onRequest: requireToken(deps, tickets.readTicket) },
  );
  serve(app, tickets.listTickets, ({ token, query }) => listTickets(deps, token, query), {
    onRequest: requireToken(deps, tickets.listTickets),
  });
  serve(
    app,
    tickets.readComments,
    async ({ token, params, query }) => {
      const ticketId = await findTicketId(deps.db, token.organisationId, params.ticket);
      return readComments(deps, token, ticketId, query);
    },
    { onRequest: requireToken(deps, tickets.readComments) },
  );
  serve(app, tickets.readLabels, ({ token, query }) => readLabels(deps, token, query), {
    onRequest: requireToken(deps, tickets.readLabels),
  });
}
