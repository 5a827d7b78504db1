import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { isReachable, type Networks, type ResolveHost, resolveHost } from "./public-address.ts";

const refusalsToldMax = 100;

/** A proxy that lets the processes of a run connect to allowed hosts only. */
export type EgressProxy = { close: () => Promise<void> };

/** The rules of a proxy. */
export type EgressRules = {
  /** Hosts such as `api.example.com` or `*.example.com` (all subdomains), with `:port` or else ports 80 and 443. */
  hosts: readonly string[];
  /** Private networks that a name may resolve to. */
  networks: Networks;
};

/**
 * Serves HTTP and CONNECT on a Unix socket. Resolves a name once: all of its addresses must be public or in `networks`,
 * and the connection uses one of these addresses. Calls `onRefused` for the first 100 refusals.
 */
export async function openEgressProxy(
  path: string,
  rules: EgressRules,
  onRefused: (target: string) => void,
  resolve: ResolveHost = resolveHost,
): Promise<EgressProxy> {
  let refusals = 0;
  const sockets = new Set<Socket>();

  /** A lookup function with the checked addresses of an allowed target, so that it is not resolved again. */
  async function permit(host: string, port: number): Promise<LookupFunction | undefined> {
    const addresses = isAllowed(rules.hosts, host, port) ? await addressesOf(host, rules.networks, resolve) : undefined;
    if (addresses) {
      const [first] = addresses;
      return (_host, { all }, callback) =>
        all ? callback(null, addresses) : callback(null, first?.address ?? "", first?.family);
    }
    refusals++;
    if (refusals <= refusalsToldMax) onRefused(`${host}:${port}`);
    return undefined;
  }

  const server = createServer((request, response) => {
    forward(request, response, permit).catch(() => response.destroy());
  });
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    tunnel(request, client, head, { permit, sockets }).catch(() => client.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done, reject) => server.once("error", reject).listen(path, done));
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

type Permit = (host: string, port: number) => Promise<LookupFunction | undefined>;

/** Forwards a plain HTTP request, whose target is an absolute URL. */
async function forward(request: IncomingMessage, response: ServerResponse, permit: Permit) {
  const url = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
  const port = Number(url?.port || 80);
  const lookup = url?.protocol === "http:" ? await permit(bare(url.hostname), port) : undefined;
  if (!url || !lookup) {
    response
      .writeHead(403, { "content-type": "text/plain" })
      .end("The runner does not allow this host. Its operator can add it with --allow-host.\n");
    return;
  }
  // Node throws if a response without a chunked body has a Trailer header.
  const { "proxy-connection": _, "proxy-authorization": __, trailer: ___, ...headers } = request.headers;
  const options = { method: request.method, headers: { ...headers, host: url.host }, lookup };
  const onward = httpRequest(url, options, (answer) => {
    const {
      statusCode = 0,
      headers: { trailer: _, ...answered },
    } = answer;
    if (statusCode < 200 || statusCode > 999) return void response.destroy();
    response.writeHead(statusCode, answered);
    pipeline(answer, response, () => {}); // a truncated response is truncated for the command too
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}

/** Opens a tunnel to the target of a CONNECT. */
async function tunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { permit, sockets }: { permit: Permit; sockets: Set<Socket> },
) {
  const { host, port } = splitHost(request.url ?? "");
  const lookup = await permit(host, port);
  if (!lookup) {
    client.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    return;
  }
  const onward = connect({ host, port, lookup }, () => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    onward.write(head);
    onward.pipe(client).pipe(onward);
  });
  sockets.add(onward);
  onward.on("close", () => sockets.delete(onward)); // ends the client's side once it has read everything
  onward.on("error", () => client.destroy());
  client.on("close", () => onward.destroy());
}

/** The addresses of a host; undefined if there is none, or if one is neither public nor in `networks`. */
async function addressesOf(host: string, networks: Networks, resolve: ResolveHost) {
  const family = isIP(host);
  if (family > 0) return [{ address: host, family }]; // the allow-list contains this address itself
  const addresses = await resolve(host);
  const areOpen = addresses.length > 0 && addresses.every(({ address }) => isReachable(address, networks));
  return areOpen ? addresses : undefined;
}

/** Whether an allow-list permits connections to a port of a host. */
function isAllowed(allowed: readonly string[], host: string, port: number): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  return allowed.some((entry) => {
    const [, name = "", own] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const isPort = own === undefined ? port === 80 || port === 443 : port === Number(own);
    return isPort && (name.startsWith("*.") ? wanted.endsWith(name.slice(1)) : wanted === name);
  });
}

function splitHost(target: string): { host: string; port: number } {
  const [, host = "", port = "443"] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(target) ?? [];
  return { host: host.slice(0, 253), port: Number(port) };
}

/** A host of a URL without the brackets of IPv6. */
const bare = (host: string) => host.replace(/^\[(.*)\]$/, "$1");
