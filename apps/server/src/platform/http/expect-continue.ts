import type { Server } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";

const expects = (request: FastifyRequest) => request.headers.expect?.toLowerCase() === "100-continue";
const asked = new WeakSet<FastifyRequest>();

/**
 * Passes requests with `Expect: 100-continue` to the routes, which send `100` themselves or refuse before. Also passes
 * on requests with another expectation, which may be ignored (RFC 9110, section 10.1.1).
 */
export function holdContinue(server: Server): void {
  for (const event of ["checkContinue", "checkExpectation"]) {
    server.on(event, (request, response) => server.emit("request", request, response));
  }
}

/** Sends `100 Continue` to a client that waits for it. */
export function askForBody(request: FastifyRequest, reply: FastifyReply): void {
  if (!expects(request) || asked.has(request)) return;
  asked.add(request);
  reply.raw.writeContinue();
}

/** Whether a client was refused before it sent its body. Its connection cannot be reused. */
export const holdsBodyBack = (request: FastifyRequest): boolean => expects(request) && !asked.has(request);
