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
import { guardChange, hashSentBody, keyOf, readKeptBody, sendReplay } from "./guard-change.ts";
import { listTickets } from "./list-tickets.ts";
import { readLabels } from "./read-labels.ts";
import { retryTicketPullRequest } from "./retry-ticket-pull-request.ts";
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
  const updating = guardChange(deps, tickets.updateTicket, find);
  serve(
    app,
    tickets.updateTicket,
    async (request, reply) => {
      const { subjectId, idempotency } = updating.of(request);
      const ifMatch = request.headers["if-match"];
      const updated = await updateTicket(deps, request.token, subjectId, request.body, { ifMatch, idempotency });
      if ("replay" in updated) return sendReplay(request, reply, updated.replay, request.bodySha256) as never;
      return reply.header("etag", updated.etag).type(json).send(updated.body) as never;
    },
    { bodyLimit: ticketBodyBytesMax, onRequest: updating.onRequest },
  );
  const commenting = guardChange(deps, tickets.commentOnTicket, find);
  serve(
    app,
    tickets.commentOnTicket,
    async (request, reply) => {
      const { subjectId, idempotency } = commenting.of(request);
      const written = await commentOnTicket(deps, request.token, subjectId, request.body, idempotency);
      if ("replay" in written) return sendReplay(request, reply, written.replay, request.bodySha256) as never;
      return reply.type(json).send(written.body) as never;
    },
    { bodyLimit: ticketBodyBytesMax, onRequest: commenting.onRequest },
  );
  const retrying = guardChange(deps, tickets.retryTicketPullRequest, find);
  serve(
    app,
    tickets.retryTicketPullRequest,
    async (request, reply) => {
      const { subjectId, idempotency } = retrying.of(request);
      const retried = await retryTicketPullRequest(deps, request.token, subjectId, idempotency);
      if ("replay" in retried) return sendReplay(request, reply, retried.replay, request.bodySha256) as never;
      return reply.type(json).send(retried.body) as never;
    },
    { bodyLimit: ticketBodyBytesMax, onRequest: retrying.onRequest },
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
