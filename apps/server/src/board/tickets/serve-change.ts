import { idempotencyKeyLengthMax, ticketBodyBytesMax } from "@lodge/contract/limits";
import type { Operation } from "@lodge/contract/operation";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Replay } from "../../people/tokens/authenticate-token.ts";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { askForBody } from "../../platform/http/expect-continue.ts";
import { parseJson, readAtMost, readBody } from "../../platform/http/json-body.ts";
import { type RequestOf, serve } from "../../platform/http/serve.ts";
import { hashRequestBody } from "./file-ticket.ts";
import { findReplay } from "./find-replay.ts";
import { keyOfOperation } from "./keep-answer.ts";
import type { Idempotency } from "./write-ticket.ts";

declare module "fastify" {
  interface FastifyRequest {
    bodySha256: Buffer;
  }
}

/** Parses the bodies of a module's routes as JSON, and hashes them for replays. */
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

/** The Idempotency-Key of a request; Node joins several with commas. */
export const keyOf = ({ headers }: Pick<FastifyRequest, "headers">): string | undefined =>
  headers["idempotency-key"]?.toString();

/** The same, if its length is valid. Throws `invalid_idempotency_key`. */
export function usableKeyOf(request: Pick<FastifyRequest, "headers">): string | undefined {
  const key = keyOf(request);
  if (key !== undefined && (key.length < 1 || key.length > idempotencyKeyLengthMax)) {
    throw new Refusal("invalid_idempotency_key");
  }
  return key;
}

/** The result of a change: a new response, or an earlier one to replay. */
type Outcome = { body: string; etag?: string } | { replay: Replay };

/**
 * Serves an operation that changes an existing ticket, once for each Idempotency-Key. A known key is replayed before
 * the body is read. `find` returns what to change, and throws if it does not exist.
 */
export function serveChange<Op extends Operation & Parameters<typeof requireToken>[1]>(
  app: FastifyInstance,
  deps: Deps,
  operation: Op,
  find: (request: FastifyRequest) => Promise<string>,
  change: (request: RequestOf<Op>, subjectId: string, idempotency: Idempotency | undefined) => Promise<Outcome>,
): void {
  const named = new WeakMap<FastifyRequest, { subjectId: string; key: string | undefined }>();
  const authenticate = requireToken(deps, operation);
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    await authenticate(request);
    const key = usableKeyOf(request);
    const subjectId = await find(request);
    const kept = key === undefined ? undefined : keyOfOperation(operation.id, subjectId, key);
    named.set(request, { subjectId, key: kept });
    const replay = kept === undefined ? undefined : await findReplay(deps, request.token, kept);
    if (!replay) return;
    askForBody(request, reply);
    return sendReplay(request, reply, replay, await hashSentBody(request));
  };
  serve(
    app,
    operation,
    async (sent, reply) => {
      const request = sent as unknown as FastifyRequest;
      const { subjectId, key } = named.get(request) as { subjectId: string; key: string | undefined };
      request.bodySha256 ??= hashRequestBody(Buffer.alloc(0)); // no parser runs for a request without a body
      const idempotency = key === undefined ? undefined : { key, requestSha256: request.bodySha256 };
      const outcome = await change(sent, subjectId, idempotency);
      if ("replay" in outcome) return sendReplay(request, reply, outcome.replay, request.bodySha256) as never;
      if (outcome.etag !== undefined) reply.header("etag", outcome.etag);
      return reply.type("application/json; charset=utf-8").send(outcome.body) as never;
    },
    { bodyLimit: ticketBodyBytesMax, onRequest },
  );
}

/** A replay does not parse its body, but says whether it differs from the one that the key was first used with. */
export function sendReplay(request: FastifyRequest, reply: FastifyReply, replay: Replay, sha256: Buffer | undefined) {
  const same = sha256?.equals(replay.requestSha256) ?? false;
  if (!same) request.log.warn({ tokenId: request.token.id }, "an Idempotency-Key was used again with another body");
  return reply
    .code(replay.status)
    .header("idempotency-replayed", same ? "true" : "mismatch")
    .type("application/json; charset=utf-8")
    .send(replay.responseBody);
}

/** The hash of a body that is only compared, not parsed. */
export async function hashSentBody(request: FastifyRequest): Promise<Buffer | undefined> {
  const body = await readAtMost(request.raw, ticketBodyBytesMax);
  return body && hashRequestBody(body);
}
