import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

const connectionsMax = 10_000;

/**
 * Keeps clients from taking every descriptor and from holding answers that they never read. Of the descriptors that this
 * process may have, connections take half at most; those above are closed at once. A connection whose client has read
 * nothing for the server's `connectionTimeout` while there was something to read is cut.
 */
export function limitConnections(app: FastifyInstance): void {
  app.server.maxConnections = Math.min(connectionsMax, Math.floor(descriptorsMax() / 2));
  const latest = new WeakMap<Socket, ServerResponse>();
  app.addHook("onRequest", (request, reply, done) => {
    latest.set(request.raw.socket, reply.raw);
    done();
  });
  (app.server as Server).on("timeout", (socket: Socket) => {
    // Silent for so long is also one whose answer is not made yet, or that listens for what changes. One that has not
    // sent a whole head is Node's to answer.
    const answer = latest.get(socket);
    if (answer && (answer.writableFinished || socket.writableLength > 0)) socket.destroy();
  });
}

/** The limit of this process, which Node has raised as far as it may. */
function descriptorsMax(): number {
  Object.assign(process.report, { excludeNetwork: true }); // which may take long to look at
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : 2 * connectionsMax; // "unlimited", or a system without
}
