import { createHash, randomBytes, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { answerEnd } from "./answer-end.ts";

/** Reports to send: their number, connections, and the number and size of attachments. */
export type Uploads = {
  port: number;
  bearer: string;
  count: number;
  connections: number;
  attachments: number;
  attachmentBytes: number;
  /** The stack of the error in each report, if it has one. */
  stack?: string;
  /** The app number for Sentry events instead of reports, with a frame for each line of the stack. */
  sentryNumber?: number;
};

/** The result. */
export type UploadsResult = { seconds: number; latenciesMs: number[]; statuses: Record<string, number> };

// Runs in its own process. Writes reports to raw keep-alive sockets, one at a time on each. The bytes of the
// attachments are created once; only the envelope's reportId differs.
const boundary = "lodge-bench-boundary";

process.on("message", (uploads: Uploads) => {
  void run(uploads).then((result) => process.send?.(result));
});

async function run(uploads: Uploads): Promise<UploadsResult> {
  const makeReport = uploads.sentryNumber === undefined ? reportMaker(uploads) : eventMaker(uploads);
  const latenciesMs: number[] = [];
  const statuses: Record<string, number> = {};
  let left = uploads.count;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: uploads.connections }, () =>
      drive(
        uploads.port,
        () => (left-- > 0 ? makeReport() : undefined),
        (status, ms) => {
          latenciesMs.push(ms);
          statuses[status] = (statuses[status] ?? 0) + 1;
        },
      ),
    ),
  );
  return { seconds: (performance.now() - startedAt) / 1000, latenciesMs, statuses };
}

/** Creates requests, each as the chunks to write, which only differ in their reportId. */
function reportMaker({ port, bearer, attachments, attachmentBytes, stack }: Uploads): () => Buffer[] {
  const bytes = randomBytes(attachmentBytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const declared = Array.from({ length: attachments }, (_, index) => ({
    partName: `attachment-${index}`,
    sha256,
    byteLength: attachmentBytes,
  }));
  const parts = declared.flatMap(({ partName }) => [
    Buffer.from(
      `\r\n--${boundary}\r\ncontent-disposition: form-data; name="${partName}"; filename="${partName}.bin"\r\n` +
        "content-type: application/octet-stream\r\n\r\n",
    ),
    bytes,
  ]);
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const rest = [...parts, end].reduce((sum, piece) => sum + piece.length, 0);
  return () => {
    const envelope = JSON.stringify({
      reportId: randomUUID(),
      kind: "crash",
      title: "The cart is empty after signing in",
      device: { model: "Pixel 9", os: "Android", osVersion: "16", locale: "en-GB" },
      ...(stack && { error: { type: "TypeError", message: "cart is undefined", stack } }),
      attachments: declared,
    });
    const first = `--${boundary}\r\ncontent-disposition: form-data; name="envelope"\r\ncontent-type: application/json\r\n\r\n${envelope}`;
    const head =
      `POST /api/ingest HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${bearer}\r\n` +
      `content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${Buffer.byteLength(first) + rest}\r\n\r\n`;
    return [Buffer.from(head + first), ...parts, end];
  };
}

/** Creates Sentry envelopes with one event, which only differ in its id. */
function eventMaker({ port, bearer, stack = "", sentryNumber }: Uploads): () => Buffer[] {
  const frames = stack.split("\n").map((line, index) => ({
    function: `render${index}`,
    filename: /\((.*):\d+:\d+\)/.exec(line)?.[1] ?? "",
    lineno: index,
    colno: 17,
    in_app: index % 2 === 1,
  }));
  const event = {
    platform: "javascript",
    contexts: { device: { model: "Pixel 9", locale: "en-GB" }, os: { name: "Android", version: "16" } },
    exception: { values: [{ type: "TypeError", value: "cart is undefined", stacktrace: { frames } }] },
  };
  return () => {
    const id = randomUUID().replaceAll("-", "");
    const json = JSON.stringify({ event_id: id, ...event });
    const body = `{"event_id":"${id}"}\n{"type":"event","length":${Buffer.byteLength(json)}}\n${json}\n`;
    const head =
      `POST /api/${sentryNumber}/envelope/ HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n` +
      `x-sentry-auth: Sentry sentry_version=7, sentry_key=${bearer}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return [Buffer.from(head + body)];
  };
}

/** Sends reports sequentially on one connection until there are no more. */
function drive(
  port: number,
  next: () => Buffer[] | undefined,
  answered: (status: string, ms: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let received = "";
    let done = false;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const send = () => {
      const pieces = next();
      if (!pieces) {
        done = true;
        socket.end();
        return;
      }
      sentAt = performance.now();
      socket.cork();
      for (const piece of pieces) socket.write(piece);
      socket.uncork();
    };
    socket.setEncoding("latin1");
    socket.on("connect", send);
    socket.on("data", (chunk: string) => {
      received += chunk;
      const end = answerEnd(received);
      if (end === undefined || received.length < end) return;
      answered(received.slice(9, 12), performance.now() - sentAt);
      received = received.slice(end);
      send();
    });
    socket.on("error", reject);
    socket.on("close", () => (done ? resolve() : reject(new Error("a connection was closed"))));
  });
}
