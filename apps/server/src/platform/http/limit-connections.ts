import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { addressBucket } from "../limits/address-bucket.ts";
import { blockListOf } from "../outbound/address-rules.ts";

const connectionsMax = 10_000;
/** Of all the connections that there may be, one address takes such a part at most. */
const shareOfAddress = 1 / 4;

/** The latest answer on each connection, whichever cell gives it. */
const latest = new WeakMap<Socket, ServerResponse>();

/**
 * Keeps clients from taking every descriptor, each other's connections, and from holding answers that they never read. Of
 * the descriptors that this process may have, connections take half at most, and those of one address, which is no trusted
 * proxy, a quarter of that; those above are closed at once. A connection whose client has read nothing for the server's
 * `connectionTimeout` while there was something to read is cut.
 */
export function limitConnections(app: FastifyInstance, trustedProxies: readonly string[]): void {
  const most = Math.min(connectionsMax, Math.floor(descriptorsMax() / 2));
  app.server.maxConnections = most;
  shareConnections(app.server as Server, Math.floor(most * shareOfAddress), trustedProxies);
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

/** Closes what one address, which is no trusted proxy, opens beyond `most`. */
function shareConnections(server: Server, most: number, trustedProxies: readonly string[]) {
  const proxies = blockListOf(trustedProxies);
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const { remoteAddress, remoteFamily } = socket;
    if (!remoteAddress) return; // it is gone already
    if (proxies.check(remoteAddress, remoteFamily === "IPv6" ? "ipv6" : "ipv4")) return;
    const address = addressBucket(remoteAddress);
    const count = open.get(address) ?? 0;
    if (count >= most) {
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** The limit of this process, which Node has raised as far as it may. */
function descriptorsMax(): number {
  Object.assign(process.report, { excludeNetwork: true }); // which may take long to look at
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : 2 * connectionsMax; // "unlimited", or a system without
}
