import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { answerEnd } from "./answer-end.ts";

/** A load: requests, connections and duration. Each request has a new Idempotency-Key. */
export type Load = {
  port: number;
  path: string;
  /** The credentials that each connection uses in rotation. */
  bearers: readonly string[];
  body: string;
  connections: number;
  seconds: number;
};

/** The result. */
export type LoadResult = {
  seconds: number;
  latenciesMs: number[];
  /** The number of responses by status code. */
  statuses: Record<string, number>;
  /** The CPU time of the load generator itself. */
  cpuSeconds: number;
};

// Runs in its own process, so that neither server shares its event loop. Writes requests to raw keep-alive sockets, one
// at a time on each: node:http would cost more than the measured servers.

process.on("message", (load: Load) => {
  void run(load).then((result) => process.send?.(result));
});

async function run(load: Load): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const statuses: Record<string, number> = {};
  const startedAt = performance.now();
  const endsAt = startedAt + load.seconds * 1000;
  const cpuBefore = process.cpuUsage();
  await Promise.all(
    Array.from({ length: load.connections }, (_, index) =>
      drive(load, index, endsAt, (status, ms) => {
        latenciesMs.push(ms);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }),
    ),
  );
  const cpu = process.cpuUsage(cpuBefore);
  return {
    seconds: (performance.now() - startedAt) / 1000,
    latenciesMs,
    statuses,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

/** Sends requests sequentially on one connection until the time is up. */
function drive(
  { port, path, bearers, body }: Load,
  index: number,
  endsAt: number,
  answered: (status: string, ms: number) => void,
): Promise<void> {
  const runId = randomBytes(8).toString("hex");
  const tail = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const heads = bearers.map(
    (bearer) => `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${bearer}\r\n`,
  );
  return new Promise((resolve, reject) => {
    let count = 0;
    let sentAt = 0;
    let received = "";
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const send = () => {
      const head = heads[(index + count) % heads.length];
      sentAt = performance.now();
      socket.write(`${head}idempotency-key: ${runId}-${index}-${count++}\r\n${tail}`);
    };
    socket.setEncoding("latin1");
    socket.on("connect", send);
    socket.on("data", (chunk: string) => {
      received += chunk;
      const end = answerEnd(received);
      if (end === undefined || received.length < end) return;
      const now = performance.now();
      answered(received.slice(9, 12), now - sentAt);
      received = received.slice(end);
      if (now < endsAt) send();
      else socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => (performance.now() < endsAt ? reject(new Error("a connection was closed")) : resolve()));
  });
}
