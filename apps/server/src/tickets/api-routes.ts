import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ErrorBody } from "@lodge/contract/error-body";
import { FileTicket, idempotencyKeyLengthMax, Ticket, ticketBodyBytesMax, ticketsWrite } from "@lodge/contract/tickets";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { askForBody } from "../platform/http/expect-continue.ts";
import { parseJson, readAtMost, readBody } from "../platform/http/json-body.ts";
import { authenticateToken, type Replay, type Token } from "../tokens/authenticate-token.ts";
import { fileTicket, hashRequestBody } from "./file-ticket.ts";

declare module "fastify" {
  interface FastifyRequest {
    token: Token;
    bodySha256: Buffer;
  }
}

const json = "application/json; charset=utf-8";

/** `POST /api/v1/tickets` (interface section 4.1), its checks in the order of contract section 2. */
export const ticketRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.decorateRequest("token");
    app.decorateRequest("bodySha256");
    app.removeAllContentTypeParsers();
    const limits = { bytesMax: ticketBodyBytesMax, idleMs: deps.config.ingestIdleMs };
    app.addContentTypeParser("*", async (request: FastifyRequest) => {
      const body = await readBody(request, limits);
      request.bodySha256 = hashRequestBody(body);
      return parseJson(request.headers, body);
    });

    app.post(
      "/api/v1/tickets",
      {
        bodyLimit: ticketBodyBytesMax,
        schema: {
          operationId: "fileTicket",
          summary: "File a ticket",
          description: "Files a card onto a board. The author is the name of the API token.",
          tags: ["Tickets"],
          security: [{ apiToken: [] }],
          headers: Type.Object({
            "idempotency-key": Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: idempotencyKeyLengthMax,
                description:
                  "Reusing a key replays the original answer, whatever the body; keys belong to the token and do not expire.",
              }),
            ),
          }),
          body: FileTicket,
          response: { 201: Ticket, "4xx": ErrorBody, "5xx": ErrorBody },
        },
        onRequest: async (request, reply) => {
          const key = request.headers["idempotency-key"];
          const usable = key !== undefined && key.length >= 1 && key.length <= idempotencyKeyLengthMax;
          const { token, replay } = await authenticateToken(
            deps,
            request.headers.authorization,
            ticketsWrite,
            usable ? key : undefined,
          );
          if (key !== undefined && !usable) throw new Refusal("invalid_idempotency_key");
          request.token = token;
          if (!replay) return;
          askForBody(request, reply);
          return sendReplay(request, reply, replay, await hashSentBody(request));
        },
      },
      async (request, reply) => {
        const key = request.headers["idempotency-key"];
        const idempotency = key === undefined ? undefined : { key, requestSha256: request.bodySha256 };
        const filed = await fileTicket(deps, request.token, request.body, idempotency);
        if ("replay" in filed) return sendReplay(request, reply, filed.replay, request.bodySha256);
        return reply
          .code(201)
          .type(json)
          .send(filed.body as never);
      },
    );
  };

/** A replay does not look into its body, but says when it is not the one that the key was first used with. */
function sendReplay(request: FastifyRequest, reply: FastifyReply, replay: Replay, sha256: Buffer | undefined) {
  const same = sha256?.equals(replay.requestSha256) ?? false;
  if (!same) request.log.warn({ tokenId: request.token.id }, "an Idempotency-Key was used again with another body");
  return reply
    .code(201)
    .header("idempotency-replayed", same ? "true" : "mismatch")
    .type(json)
    .send(replay.responseBody);
}

async function hashSentBody(request: FastifyRequest): Promise<Buffer | undefined> {
  const body = await readAtMost(request.raw, ticketBodyBytesMax);
  return body && hashRequestBody(body);
}
