import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { type Connection, openConnection } from "../../testing/open-connection.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";
import type { Answer } from "../../testing/start-service.ts";
import { startVictim, submitHonest, suffer } from "../../testing/suffer.ts";

// Attacks on a process with a publishable key, through Sentry's endpoints. `npm run bench -- hostile` does the same
// with hundreds of connections.
const decodedAtOnce = 4;
const waitingOfOneApp = 32;

const head = ({ dsn, key }: Door, lines: string[]) =>
  [
    `POST /api/${dsn.split("/").at(-1)}/envelope/?sentry_key=${key} HTTP/1.1`,
    "Host: lodge.test",
    ...lines,
    "\r\n",
  ].join("\r\n");

const event = (value: string) => `{}\n{"type":"event"}\n{"extra":{"a":${value}}}`;
const bombs = {
  "gzip of 1.6 million values": ["gzip", gzipSync(event(`[${"{},".repeat(1_650_000)}{}]`)), 400],
  "gzip of one long text": ["gzip", gzipSync(event(JSON.stringify("x".repeat(4_950_000)))), 200],
  "deflate of a replay of 30 MB": ["deflate", deflateSync(`{}\n{"type":"replay_recording"}\n${"x".repeat(3e7)}`), 413],
  "br of a replay of 30 MB": ["br", brotliCompressSync(`{}\n{"type":"replay_recording"}\n${"x".repeat(3e7)}`), 413],
  "zstd of a replay of 30 MB": ["zstd", zstdCompressSync(`{}\n{"type":"replay_recording"}\n${"x".repeat(3e7)}`), 413],
} as const;

for (const [what, [encoding, bomb, status]] of Object.entries(bombs)) {
  test(`envelopes of a few kB in ${what} take little memory, and others are served meanwhile`, async () => {
    await using door = await startDoor();
    await using child = await startVictim(door);
    assert.ok(bomb.length < 40_000);
    const answers: (Answer | undefined)[] = [];
    const { grownMegabytes, servedMeanwhile } = await suffer(child, door, async () => {
      await Promise.all(
        Array.from({ length: status === 413 ? 40 : 90 }, async () => {
          await using connection = await openConnection(child.url);
          await connection.send(head(door, [`Content-Encoding: ${encoding}`, `Content-Length: ${bomb.length}`]));
          await connection.send(bomb);
          answers.push(await connection.answer());
        }),
      );
    });
    const refused = encoding === "br" || encoding === "zstd" ? answers.filter((answer) => answer?.status === 503) : [];
    assert.ok(refused.length <= answers.length - decodedAtOnce - waitingOfOneApp, `${refused.length} were refused`);
    for (const answer of refused) assert.match(answer?.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    const others = answers.filter((answer) => !refused.includes(answer));
    assert.deepEqual([...new Set(others.map((answer) => answer?.status))], [status]);
    // Accepted envelopes go to the database whole; through /api/ingest they take as much memory.
    assert.ok(grownMegabytes < (status === 200 ? 320 : 150), `grew by ${grownMegabytes} MB`);
    assert.ok(servedMeanwhile > 0);
  });
}

test("bodies that stall in the middle of an item use little memory, and time out", async () => {
  await using door = await startDoor();
  await using child = await startVictim(door, { LODGE_INGEST_IDLE_SECONDS: "5" });
  const connections: Connection[] = [];
  const { grownMegabytes } = await suffer(child, door, async () => {
    for (const encoding of ["gzip", "br", "zstd", "identity"]) {
      const started = Buffer.from(`{}\n{"type":"event","length":4000000}\n{"message":"${"x".repeat(100_000)}`);
      const encode = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, identity: (it: Buffer) => it };
      const bytes = encode[encoding as keyof typeof encode](started);
      for (let count = 0; count < 60; count += 1) {
        const connection = await openConnection(child.url);
        connections.push(connection);
        await connection.send(head(door, [`Content-Encoding: ${encoding}`, "Content-Length: 4000000"]));
        await connection.send(bytes.subarray(0, -5));
      }
      await submitHonest(child, door);
    }
    for (const connection of connections) assert.equal((await connection.answer())?.status, 408);
  });
  assert.ok(grownMegabytes < 150, `grew by ${grownMegabytes} MB`);
  for (const connection of connections) connection.reset();
});
