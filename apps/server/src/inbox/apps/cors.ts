import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";

/**
 * Answers a browser's preflight for any origin, because a preflight has no key and so its app is unknown. `moreHeaders`
 * begins with a comma.
 */
export const answerPreflight =
  (method: string, moreHeaders = ""): RouteHandlerMethod =>
  (_request, reply) =>
    reply
      .code(204)
      .headers({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": method,
        "access-control-allow-headers": `authorization, content-type, content-encoding, traceparent${moreHeaders}`,
        "access-control-max-age": "3600",
      })
      .send();

/**
 * Allows pages of the app's origins to read the response, or pages of any origin if the app lists none (contract
 * section 3, Browsers).
 */
export function allowOrigins(
  request: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[] | null,
  exposed = "Retry-After",
): void {
  reply.header("access-control-expose-headers", exposed);
  if (origins === null) {
    reply.header("access-control-allow-origin", "*");
    return;
  }
  const { origin } = request.headers;
  reply.header("vary", "Origin");
  if (origin !== undefined && origins.includes(origin)) reply.header("access-control-allow-origin", origin);
  else reply.removeHeader("access-control-allow-origin");
}
