import { once } from "node:events";
import { connect } from "node:net";
import { type Answer, parsed } from "./start-service.ts";

/** A TCP connection over which a test sends what it wants, when it wants. */
export type Connection = AsyncDisposable & {
  /** Sends bytes; returns when they are sent, or when the connection no longer accepts any. */
  send: (bytes: string | Uint8Array) => Promise<void>;
  /** Ends the sending half. */
  end: () => void;
  /** Resets it (RST). */
  reset: () => void;
  /** The next response, including `100 Continue`; undefined if the connection was closed before its end. */
  answer: () => Promise<Answer | undefined>;
  /** Resolves when the other side has closed it. */
  closed: Promise<void>;
};

/** Connects to a server. Reads nothing before the first `answer`, like a client that sends before it reads. */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.pause();
  await once(socket, "connect");
  let received = Buffer.alloc(0);
  let open = true;
  let wake = () => {};
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  const closed = new Promise<void>((resolve) => {
    socket.on("end", () => {
      open = false;
      wake();
      resolve();
    });
    socket.on("close", () => {
      open = false;
      wake();
      resolve();
    });
  });
  socket.on("error", () => {}); // `close` reports it

  return {
    send: async (bytes) => {
      if (!socket.writable) return closed;
      await new Promise<void>((resolve) => {
        socket.write(bytes, () => resolve());
      });
    },
    end: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
    answer: async () => {
      socket.resume();
      for (;;) {
        const found = takeAnswer(received);
        if (found) {
          received = received.subarray(found.byteLength);
          return found.answer;
        }
        if (!open) return undefined;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
    get closed() {
      socket.resume();
      return closed;
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      if (!socket.closed) await once(socket, "close");
    },
  };
}

function takeAnswer(received: Buffer): { answer: Answer; byteLength: number } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [statusLine = "", ...lines] = received.toString("latin1", 0, headEnd).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const byteLength = headEnd + 4 + Number(headers.get("content-length") ?? 0);
  if (received.length < byteLength) return undefined;
  const text = received.toString("utf8", headEnd + 4, byteLength);
  return { answer: { status: Number(statusLine.split(" ")[1]), headers, text, body: parsed(text) }, byteLength };
}

/** The head of a `POST /api/ingest`, with these header lines after the required ones. */
export const ingestHead = (lines: readonly string[]) =>
  `${["POST /api/ingest HTTP/1.1", "Host: lodge.test", ...lines].join("\r\n")}\r\n\r\n`;

/** Bytes as one chunk of a chunked body. */
export const chunked = (bytes: string | Uint8Array) =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")]);

/** The end of a chunked body. */
export const lastChunk = "0\r\n\r\n";
