import type { Server } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";

const expects = (request: FastifyRequest) => request.headers.expect?.toLowerCase() === "100-continue";
const asked = new WeakSet<FastifyRequest>();

/**
 * Hands requests with `Expect: 100-continue` to the routes, which answer `100` themselves or refuse before; and those that
 * expect something else, which may be ignored (RFC 9110, section 10.1.1).
 */
export function holdContinue(server: Server): void {
  for (const event of ["checkContinue", "checkExpectation"]) {
    server.on(event, (request, response) => server.emit("request", request, response));
  }
}

/** Tells a client that waits for `100 Continue` to send its body. */
export function askForBody(request: FastifyRequest, reply: FastifyReply): void {
  if (!expects(request) || asked.has(request)) return;
  asked.add(request);
  reply.raw.writeContinue();
}

/** Whether a client was refused that still holds its body back: its connection cannot be used again. */
export const holdsBodyBack = (request: FastifyRequest): boolean => expects(request) && !asked.has(request);
