import { idempotencyKeyLengthMax, ticketBodyBytesMax } from "@lodge/contract/limits";
import type { Operation } from "@lodge/contract/operation";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Replay } from "../../people/tokens/authenticate-token.ts";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { askForBody } from "../../platform/http/expect-continue.ts";
import { parseJson, readAtMost, readBody } from "../../platform/http/json-body.ts";
import { hashRequestBody } from "./file-ticket.ts";
import { findReplay } from "./find-replay.ts";
import { keyOfOperation } from "./keep-answer.ts";
import type { Idempotency } from "./write-ticket.ts";

declare module "fastify" {
  interface FastifyRequest {
    bodySha256: Buffer;
  }
}

/** Has the bodies of a module's routes read as JSON, with the hash by which a replay knows them. */
export function readKeptBody(app: FastifyInstance, deps: Deps): void {
  app.decorateRequest("bodySha256");
  app.removeAllContentTypeParsers();
  const limits = { bytesMax: ticketBodyBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    const body = await readBody(request, limits);
    request.bodySha256 = hashRequestBody(body);
    return parseJson(request.headers, body);
  });
}

/** The Idempotency-Key of a request; several are one to Node, joined by commas. */
export const keyOf = ({ headers }: FastifyRequest): string | undefined => headers["idempotency-key"]?.toString();

type Named = { subjectId: string; key: string | undefined };

/**
 * An `onRequest` for an operation that changes something which exists: it lets in a token with the permission, finds what
 * is changed, and replays a known Idempotency-Key before the body is read. `of` has what it found for the handler.
 */
export function guardChange(
  deps: Deps,
  operation: Operation & Parameters<typeof requireToken>[1],
  find: (request: FastifyRequest) => Promise<string>,
) {
  const named = new WeakMap<FastifyRequest, Named>();
  const authenticate = requireToken(deps, operation);
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await authenticate(request);
      const key = keyOf(request);
      if (key !== undefined && (key.length < 1 || key.length > idempotencyKeyLengthMax)) {
        throw new Refusal("invalid_idempotency_key");
      }
      const subjectId = await find(request);
      const kept = key === undefined ? undefined : keyOfOperation(operation.id, subjectId, key);
      named.set(request, { subjectId, key: kept });
      const replay = kept === undefined ? undefined : await findReplay(deps, request.token, kept);
      if (!replay) return;
      askForBody(request, reply);
      return sendReplay(request, reply, replay, await hashSentBody(request));
    },
    of: (request: FastifyRequest): { subjectId: string; idempotency: Idempotency | undefined } => {
      const { subjectId, key } = named.get(request) as Named;
      request.bodySha256 ??= hashRequestBody(Buffer.alloc(0)); // no parser sees that there is none
      return { subjectId, idempotency: key === undefined ? undefined : { key, requestSha256: request.bodySha256 } };
    },
  };
}

/** A replay does not look into its body, but says when it is not the one that the key was first used with. */
export function sendReplay(request: FastifyRequest, reply: FastifyReply, replay: Replay, sha256: Buffer | undefined) {
  const same = sha256?.equals(replay.requestSha256) ?? false;
  if (!same) request.log.warn({ tokenId: request.token.id }, "an Idempotency-Key was used again with another body");
  return reply
    .code(replay.status)
    .header("idempotency-replayed", same ? "true" : "mismatch")
    .type("application/json; charset=utf-8")
    .send(replay.responseBody);
}

/** The hash of a body that is only compared. */
export async function hashSentBody(request: FastifyRequest): Promise<Buffer | undefined> {
  const body = await readAtMost(request.raw, ticketBodyBytesMax);
  return body && hashRequestBody(body);
}
