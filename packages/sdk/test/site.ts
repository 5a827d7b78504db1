import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** The modes of a gate: `pass` forwards requests, the others simulate a failing network or server. */
type Mode = "pass" | "cut" | "hold" | "swallow" | "unavailable" | "page" | "small" | "refused";

/** A proxy between the pages and the server, with its own origin. */
export type Gate = AsyncDisposable & {
  url: string;
  mode: Mode;
  /** The requests that arrived, like `POST /api/ingest`. */
  seen: string[];
  /** Ends held connections: browsers have few per host, and a closed page's request occupies one. */
  drop: () => void;
  /** Called for every request. */
  onRequest: (() => void) | undefined;
};

/** Starts a gate in front of a server. */
export async function startGate(target: string): Promise<Gate> {
  const held = new Set<ServerResponse>();
  const server = createServer((incoming, response) => {
    gate.seen.push(`${incoming.method} ${incoming.url}`);
    gate.onRequest?.();
    // Preflight requests always succeed.
    if (incoming.method === "OPTIONS" && gate.mode !== "cut") return forward(incoming, response, target);
    const cors = { "access-control-allow-origin": "*", "access-control-expose-headers": "Retry-After" };
    const isSmall = Number(incoming.headers["content-length"] ?? 0) < 10_000;
    if (gate.mode === "pass" || (gate.mode === "small" && isSmall)) forward(incoming, response, target);
    else if (gate.mode === "cut") incoming.socket.destroy();
    else if (gate.mode === "hold") held.add(response);
    else if (gate.mode === "swallow") forward(incoming, undefined, target);
    else if (gate.mode === "small") {
      incoming.resume();
      response.writeHead(413, { ...cors, "content-type": "text/html" }).end("<h1>413 Request Entity Too Large");
    } else if (gate.mode === "refused")
      response.writeHead(401, { ...cors, "content-type": "application/json" }).end("{}");
    else if (gate.mode === "page") response.writeHead(200, { ...cors, "content-type": "text/html" }).end("<p>Sign in");
    else
      response
        .writeHead(503, { ...cors, "content-type": "application/json" })
        .end(JSON.stringify({ error: "unavailable", message: "The service is not available." }));
  });
  const gate: Gate = {
    url: await listen(server),
    mode: "pass",
    seen: [],
    onRequest: undefined,
    drop: () => {
      for (const response of held) response.destroy();
      held.clear();
    },
    [Symbol.asyncDispose]: () => end(server),
  };
  return gate;
}

/** A website with pages that load the SDK. */
export type Site = AsyncDisposable & {
  url: string;
  /** The texts that pages have sent with `navigator.sendBeacon("/told", …)`. */
  told: string[];
};

const policy = "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'";

/** Starts a website. `/` may connect anywhere, `/strict` only to its own origin. Forwards `/lodge/…` to the server. */
export async function startSite(scripts: string, target: string): Promise<Site> {
  const told: string[] = [];
  const server = createServer((incoming, response) => {
    void answer(incoming, response);
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse) {
    const path = incoming.url ?? "/";
    if (path.startsWith("/lodge/")) {
      incoming.url = path.slice("/lodge".length);
      return forward(incoming, response, target);
    }
    if (path === "/told") {
      let text = "";
      for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
      told.push(text);
      return response.writeHead(204).end();
    }
    if (path.endsWith(".js")) {
      response.setHeader("content-type", "text/javascript");
      return response.end(await readFile(join(scripts, path)).catch(() => ""));
    }
    response.setHeader("content-type", "text/html");
    if (path.startsWith("/strict")) response.setHeader("content-security-policy", policy);
    return response.end(
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>A shop</title><link rel="icon" href="/icon.js">' +
        '<script src="/lodge.iife.js"></script><script src="/widget.iife.js"></script><script src="/replies.iife.js"></script><main><h1>A shop</h1></main></html>',
    );
  }
  return { url: await listen(server), told, [Symbol.asyncDispose]: () => end(server) };
}

/** Forwards a request; without `response`, the server's response is lost. */
function forward(incoming: IncomingMessage, response: ServerResponse | undefined, target: string) {
  const url = new URL(`${incoming.url}`, target);
  const headers = { ...incoming.headers, host: url.host };
  const onwards = request(url, { method: `${incoming.method}`, headers }, (answer) => {
    if (!response) return answer.resume().on("end", () => incoming.socket.destroy());
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    return answer.pipe(response);
  });
  onwards.on("error", () => incoming.socket.destroy());
  incoming.on("error", () => onwards.destroy());
  incoming.pipe(onwards);
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function end(server: Server) {
  server.closeAllConnections();
  const closed = once(server, "close");
  server.close();
  await closed;
}
