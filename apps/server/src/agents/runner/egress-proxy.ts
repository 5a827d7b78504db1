import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";

const refusalsToldMax = 100;

/** A proxy that lets the processes of a run reach the hosts that are allowed, and nothing else. */
export type EgressProxy = { close: () => Promise<void> };

/**
 * Serves HTTP and CONNECT on a Unix socket. `allowed` names hosts, as `api.example.com`, `*.example.com` for all below it,
 * either with `:port`; without one, ports 80 and 443. `onRefused` is told of the first 100 refusals.
 */
export async function openEgressProxy(
  path: string,
  allowed: readonly string[],
  onRefused: (target: string) => void,
): Promise<EgressProxy> {
  let refusals = 0;
  const sockets = new Set<Socket>();
  const refuse = (target: string) => {
    refusals++;
    if (refusals <= refusalsToldMax) onRefused(target);
  };

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = URL.parse(request.url ?? "");
    const port = Number(url?.port || 80);
    if (url?.protocol !== "http:" || !isAllowed(allowed, url.hostname, port)) {
      refuse(url ? `${url.hostname}:${port}` : String(request.url).slice(0, 200));
      response
        .writeHead(403, { "content-type": "text/plain" })
        .end("This host is not among those that the runner allows.\n");
      return;
    }
    // Node takes a trailer's name for a mistake of ours where the body has no chunks, and throws.
    const { "proxy-connection": _, "proxy-authorization": __, trailer: ___, ...headers } = request.headers;
    const onward = httpRequest(url, { method: request.method, headers }, (answer) => {
      const {
        statusCode = 0,
        headers: { trailer: _, ...answered },
      } = answer;
      if (statusCode < 200 || statusCode > 999) return void response.destroy();
      response.writeHead(statusCode, answered);
      pipeline(answer, response, () => {}); // one that is cut off is cut off for the command too
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    const { host, port } = splitHost(request.url ?? "");
    client.on("error", () => client.destroy());
    if (!isAllowed(allowed, host, port)) {
      refuse(`${host}:${port}`);
      client.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      return;
    }
    const onward = connect(port, host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      onward.pipe(client).pipe(onward);
    });
    sockets.add(onward);
    onward.on("close", () => sockets.delete(onward)); // the client has its end when it has read all
    onward.on("error", () => client.destroy());
    client.on("close", () => onward.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether an allow-list lets somebody reach a port of a host. */
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
