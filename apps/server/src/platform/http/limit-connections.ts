import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { addressBucket } from "../limits/address-bucket.ts";
import { blockListOf } from "../outbound/address-rules.ts";

const connectionsMax = 10_000;
/** The largest share of all connections for one address. */
const shareOfAddress = 1 / 4;

/** The latest response on each connection, from any cell. */
const latest = new WeakMap<Socket, ServerResponse>();

/**
 * Prevents clients from using up file descriptors, the connections of others, or memory with responses that they never
 * read. Connections use at most half of this process's descriptors, and one address, unless it is a trusted proxy, at
 * most a quarter of those; further ones are closed immediately. Closes a connection whose client reads nothing of a
 * response for the server's `connectionTimeout`.
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
    // A connection is also silent while its response is being made, or while it streams changes. Node itself times out
    // those without a complete request head.
    const answer = latest.get(socket);
    if (answer && (answer.writableFinished || socket.writableLength > 0)) socket.destroy();
  });
}

/** Closes connections above `most` of one address, unless it is a trusted proxy. */
function shareConnections(server: Server, most: number, trustedProxies: readonly string[]) {
  const proxies = blockListOf(trustedProxies);
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const { remoteAddress, remoteFamily } = socket;
    if (!remoteAddress) return; // it is closed already
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

/** The descriptor limit of this process, which Node has raised to the maximum. */
function descriptorsMax(): number {
  Object.assign(process.report, { excludeNetwork: true }); // listing open files may take long
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : 2 * connectionsMax; // "unlimited", or a system without this limit
}
