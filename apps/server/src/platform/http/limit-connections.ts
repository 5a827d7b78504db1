import type { Server } from "node:http";
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
  const states = new WeakMap<Socket, "answering" | "answered">();
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    states.set(socket, "answering");
    reply.raw.once("close", () => states.set(socket, "answered"));
    done();
  });
  (app.server as Server).on("timeout", (socket: Socket) => {
    // Silent for so long is also one whose answer is not made yet, or that listens for what changes. One that has not
    // sent a whole head is Node's to answer.
    const state = states.get(socket);
    if (state === "answered" || (state === "answering" && socket.writableLength > 0)) socket.destroy();
  });
}

/** The limit of this process, which Node has raised as far as it may. */
function descriptorsMax(): number {
  Object.assign(process.report, { excludeNetwork: true }); // which may take long to look at
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : 2 * connectionsMax; // "unlimited", or a system without
}
