import { idempotencyKeyLengthMax, ticketBodyBytesMax } from "@lodge/contract/limits";
import * as tickets from "@lodge/contract/tickets";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authenticateToken, type Replay } from "../../people/tokens/authenticate-token.ts";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { askForBody } from "../../platform/http/expect-continue.ts";
import { parseJson, readAtMost, readBody } from "../../platform/http/json-body.ts";
import { serve } from "../../platform/http/serve.ts";
import { fileTicket, hashRequestBody } from "./file-ticket.ts";
import { showTicket } from "./show-ticket.ts";

declare module "fastify" {
  interface FastifyRequest {
    bodySha256: Buffer;
  }
}

// Several are one to Node, joined by commas.
const keyOf = ({ headers }: FastifyRequest) => headers["idempotency-key"]?.toString();
const json = "application/json; charset=utf-8";

/** The tickets of the ticket API: filing one (interface section 4.1; contract section 2), and reading it again (section 8). */
export function ticketRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  app.decorateRequest("bodySha256");
  app.removeAllContentTypeParsers();
  const limits = { bytesMax: ticketBodyBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    const body = await readBody(request, limits);
    request.bodySha256 = hashRequestBody(body);
    return parseJson(request.headers, body);
  });

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
  serve(app, tickets.readTicket, ({ token, params }) => showTicket(deps, token, params.ticketId), {
    onRequest: requireToken(deps, tickets.readTicket),
  });
}

/** A replay does not look into its body, but says when it is not the one that the key was first used with. */
function sendReplay(request: FastifyRequest, reply: FastifyReply, replay: Replay, sha256: Buffer | undefined) {
  const same = sha256?.equals(replay.requestSha256) ?? false;
  if (!same) request.log.warn({ tokenId: request.token.id }, "an Idempotency-Key was used again with another body");
  return reply
    .code(replay.status)
    .header("idempotency-replayed", same ? "true" : "mismatch")
    .type(json)
    .send(replay.responseBody);
}

async function hashSentBody(request: FastifyRequest): Promise<Buffer | undefined> {
  const body = await readAtMost(request.raw, ticketBodyBytesMax);
  return body && hashRequestBody(body);
}
