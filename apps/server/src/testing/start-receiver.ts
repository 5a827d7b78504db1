import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A received request; `at` is when its body was complete, on the clock of `performance.now()`. */
export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer; at: number };

/** A real HTTP server that keeps the requests it receives. */
export type Receiver = AsyncDisposable & {
  url: string;
  port: number;
  received: Received[];
  /** Resolves when `count` requests have arrived, immediately if they already have. */
  until: (count: number) => Promise<Received[]>;
};

/** Starts a receiver that answers 204, or whatever `answer` returns; if that never resolves, the receiver hangs. */
export async function startReceiver(
  answer: (request: Received, response: ServerResponse, index: number) => void = (_request, response) => {
    response.writeHead(204).end();
  },
  host = "127.0.0.1",
  port = 0,
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<{ count: number; resolve: (received: Received[]) => void }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const whole = { method, path: url, headers, body: Buffer.concat(chunks), at: performance.now() };
      received.push(whole);
      answer(whole, response, received.length - 1);
      for (const waiter of waiting) {
        if (received.length < waiter.count) continue;
        waiting.delete(waiter);
        waiter.resolve(received);
      }
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${own}`,
    port: own,
    received,
    until: (count) =>
      received.length >= count ? Promise.resolve(received) : new Promise((resolve) => waiting.add({ count, resolve })),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
