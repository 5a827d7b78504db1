import type { Server } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";

const expects = (request: FastifyRequest) => request.headers.expect?.toLowerCase() === "100-continue";
const asked = new WeakSet<FastifyRequest>();

/** Hands requests with `Expect: 100-continue` to the routes, which answer `100` themselves or refuse before. */
export function holdContinue(server: Server): void {
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
}

/** Tells a client that waits for `100 Continue` to send its body. */
export function askForBody(request: FastifyRequest, reply: FastifyReply): void {
  if (!expects(request) || asked.has(request)) return;
  asked.add(request);
  reply.raw.writeContinue();
}

/** Whether a client was refused that still holds its body back: its connection cannot be used again. */
export const holdsBodyBack = (request: FastifyRequest): boolean => expects(request) && !asked.has(request);
