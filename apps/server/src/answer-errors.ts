import type { Socket } from "node:net";
import { type ErrorCode, errors } from "@lodge/contract/errors";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "./platform/deps.ts";
import { invalidInput, Refusal, unavailable } from "./platform/errors.ts";
import { holdsBodyBack } from "./platform/http/expect-continue.ts";
import { isHalfCloseAnswered } from "./platform/http/half-close.ts";
import { jsonWanted } from "./platform/http/json-body.ts";
import { isOutage } from "./platform/outage.ts";

declare module "fastify" {
  interface FastifyReply {
    refusal: Refusal | undefined;
  }
}

/** The time for which browsers use only https with this host: 180 days, renewed by each response. */
const httpsOnlySeconds = 15_552_000;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Adds the headers that every response has. */
export const withCommonHeaders = (deps: Deps, request: FastifyRequest, reply: FastifyReply) =>
  reply.header("x-request-id", request.id).headers(securityHeaders(deps));

/**
 * The headers of every response. It leaves out subdomains, which may still use http, and the browsers' preload list,
 * which takes months to leave: both are the operator's decision.
 */
const securityHeaders = ({ urls }: Deps): Record<string, string> => ({
  "x-content-type-options": "nosniff",
  ...(urls.base.startsWith("https:") && { "strict-transport-security": `max-age=${httpsOnlySeconds}` }),
});

/** The start of every error body. */
const bodyOf = ({ urls }: Deps, code: ErrorCode, message: string = errors[code].message) => ({
  error: code,
  message,
  docs: `${urls.base}/docs/errors#${code}`,
});

/** Answers a request with a refusal. */
export function refuse(deps: Deps, refusal: Refusal, reply: FastifyReply) {
  reply.refusal = refusal;
  if (holdsBodyBack(reply.request)) reply.header("connection", "close");
  return reply
    .code(errors[refusal.code].status)
    .headers(refusal.headers)
    .send({ ...bodyOf(deps, refusal.code), ...refusal.body });
}

/** Errors that a caller can act on are returned unchanged; all others are logged and masked. */
export function asRefusal(error: FastifyError | Refusal, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  if (error.code === "FST_ERR_BAD_URL") return new Refusal("bad_request");
  if (error.code?.startsWith("FST_ERR_CTP_")) {
    const message = error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" ? jsonWanted : error.message;
    return invalidInput([{ path: "", message }]);
  }
  if (request.raw.destroyed && !request.raw.complete) {
    request.log.info({ err: error }, "the client disconnected");
    return unavailable(); // nobody receives it
  }
  if (isOutage(error)) {
    request.log.warn({ err: error }, "the database or the store is unavailable");
    return unavailable();
  }
  request.log.error({ err: error }, "failed");
  return new Refusal("internal_error", { requestId: request.id });
}

/** Whether a path parameter is empty: such an address does not exist. */
export const hasEmpty = (params: unknown) =>
  Object.entries(params as Record<string, unknown>).some(([name, value]) => value === "" && name !== "*");

/** The refusal of an address that no operation has, or not with this method. */
export function unknownRoute(app: FastifyInstance, request: FastifyRequest): Refusal {
  const url = request.url.split("?", 1)[0] ?? "/";
  // The web app answers GET at every address, as a last resort.
  const allowed = methods.filter((method) => {
    const route = app.findRoute({ url, method });
    return route !== null && !("*" in route.params) && !hasEmpty(route.params);
  });
  return allowed.length > 0
    ? new Refusal("method_not_allowed", {}, { allow: allowed.join(", ") })
    : new Refusal("not_found");
}

const headTooLarge = "The URL and headers of the request are larger than 16 KiB together. Shorten them.";

/** Bytes that Node cannot parse as HTTP have no request to answer; they still get JSON and a closed connection. */
export function refuseBrokenRequest(deps: Deps, error: Error & { code?: string }, socket: Socket) {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  if (error.code === "HPE_INVALID_EOF_STATE" && isHalfCloseAnswered(socket)) return;
  const timeout = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const code = timeout ? "request_timeout" : "bad_request";
  const message = error.code === "HPE_HEADER_OVERFLOW" ? headTooLarge : undefined;
  const body = JSON.stringify(bodyOf(deps, code, message));
  const headers = Object.entries(securityHeaders(deps)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${timeout ? "408 Request Timeout" : "400 Bad Request"}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `${headers.join("")}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
