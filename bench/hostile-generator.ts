import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Attack, AttackName, AttackResult } from "./attacks.ts";

// The attackers, in their own process. Reuse each connection until the server closes it, and then reconnect.
const boundary = "lodge-bench-boundary";
const trickleMs = 500;

process.on("message", (attack: Attack) => {
  void run(attack).then((result) => process.send?.(result));
});

type Attacker = {
  /** The bytes of a request that are sent immediately. */
  request: () => Buffer[];
  /** The bytes to send every half second afterwards. */
  trickle?: Buffer;
};

const attackers: Record<AttackName, (attack: Attack) => Attacker> = {
  // A kilobyte that inflates to millions of objects, and an attachment that never ends.
  values: (attack) => trickling(attack, `[${"{},".repeat(1_660_000)}{}]`),
  // The same size in one long text, which is allowed.
  text: (attack) => trickling(attack, JSON.stringify("x".repeat(4_980_000))),
  // An invalid envelope, followed by 5 MiB.
  refused: (attack) => uploading(attack, attack.bearer),
  // An unknown key, followed by 5 MiB.
  stranger: (attack) => uploading(attack, "nobody"),
  // A sign-in that stalls.
  stalled: ({ port }) => {
    const head =
      `POST /api/dashboard/session HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: http://127.0.0.1:${port}\r\n` +
      "content-type: application/json\r\ncontent-length: 262000\r\n\r\n";
    const request = [Buffer.concat([Buffer.from(head), Buffer.alloc(261_999, " ")])];
    return { request: () => request };
  },
  // Hundreds of thousands of parts without an envelope.
  parts: (attack) => {
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n`;
    const body = Buffer.from(`${part.repeat(Math.floor(24_000_000 / part.length))}--${boundary}--\r\n`);
    return { request: () => [head(attack.port, attack.bearer, body.length), body] };
  },
  // An event of a Sentry client, compressed to a few kilobytes.
  events: (attack) => sending(attack, "gzip", gzipSync(item("event", `[${"{},".repeat(1_660_000)}{}]`))),
  replays: (attack) => sending(attack, "zstd", zstdCompressSync(item("replay_recording", "x".repeat(30_000_000)))),
};

const item = (type: string, payload: string) => `{}\n{"type":"${type}"}\n${payload}`;

function sending({ port, bearer, appNumber }: Attack, encoding: string, body: Buffer): Attacker {
  const head =
    `POST /api/${appNumber}/envelope/?sentry_key=${bearer} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n` +
    `content-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
  const request = [Buffer.concat([Buffer.from(head), body])];
  return { request: () => request };
}

function trickling({ port, bearer }: Attack, value: string): Attacker {
  const declared = [{ partName: "a", sha256: "0".repeat(64), byteLength: 10_000_000 }];
  return {
    request: () => {
      const envelope = `{"reportId":"${randomUUID()}","attachments":${JSON.stringify(declared)},"context":{"a":${value}}}`;
      const zipped = gzipSync(envelope);
      return [
        Buffer.concat([
          head(port, bearer, 10_000_000),
          Buffer.from(
            `--${boundary}\r\ncontent-disposition: form-data; name="envelope"\r\ncontent-type: application/gzip\r\n\r\n`,
          ),
          zipped,
          Buffer.from(`\r\n--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n`),
        ]),
      ];
    },
    trickle: Buffer.alloc(1_000),
  };
}

function uploading({ port }: Attack, bearer: string): Attacker {
  const form = [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="envelope"\r\n\r\n{}\r\n--${boundary}\r\n`),
    Buffer.from('content-disposition: form-data; name="a"\r\n\r\n'),
    Buffer.alloc(5 * 1_048_576),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ];
  const length = form.reduce((sum, piece) => sum + piece.length, 0);
  const request = [head(port, bearer, length), ...form];
  return { request: () => request };
}

const head = (port: number, bearer: string, length: number) =>
  Buffer.from(
    `POST /api/ingest HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${bearer}\r\n` +
      `content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${length}\r\n\r\n`,
  );

async function run(attack: Attack): Promise<AttackResult> {
  const attacker = attackers[attack.name](attack);
  const request = attacker.trickle ? attacker.request() : [];
  const next = attacker.trickle ? () => request : attacker.request;
  const result: AttackResult = { connected: 0, statuses: {} };
  const endsAt = performance.now() + attack.seconds * 1000;
  await Promise.all(
    Array.from({ length: attack.connections }, async () => {
      while (performance.now() < endsAt) {
        await useConnection(attack.port, next, attacker.trickle, endsAt, result);
        await sleep(20);
      }
    }),
  );
  return result;
}

/** Sends requests on one connection until it is closed or the time is up. */
async function useConnection(
  port: number,
  request: () => Buffer[],
  trickle: Buffer | undefined,
  endsAt: number,
  result: AttackResult,
): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => {}); // handled in `close`
  socket.on("connect", () => {
    result.connected += 1;
    send(socket, request());
  });
  const deadline = setTimeout(() => socket.destroy(), Math.max(0, endsAt - performance.now()));
  const more = trickle && setInterval(() => socket.writable && socket.write(trickle), trickleMs);
  socket.on("data", (chunk: Buffer) => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString("latin1"))?.[1];
    if (status === undefined) return;
    result.statuses[status] = (result.statuses[status] ?? 0) + 1;
    if (!trickle && socket.writable) send(socket, request());
  });
  await closed;
  clearTimeout(deadline);
  clearInterval(more);
}

function send(socket: Socket, pieces: Buffer[]) {
  for (const piece of pieces) socket.write(piece);
}
