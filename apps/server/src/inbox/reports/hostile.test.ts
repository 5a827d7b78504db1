import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { encodeForm, envelopePart } from "../../testing/encode-form.ts";
import { type Connection, ingestHead, openConnection } from "../../testing/open-connection.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";
import { startVictim, submitHonest, suffer } from "../../testing/suffer.ts";
import { until } from "../../testing/until.ts";

// Attacks on a process with a publishable key, or without one. `npm run bench -- hostile` does the same with hundreds
// of connections. It also measures whether others wait for more than a second. Here, other tests keep the machine too
// busy for that.

/** The start of a report with a large compressed envelope and an attachment that never ends. */
function unending(door: Door, value: string): Buffer {
  const attachments = [{ partName: "a", sha256: "0".repeat(64), byteLength: 9_000_000 }];
  const declared = JSON.stringify(attachments);
  const envelope = gzipSync(`{"reportId":"${randomUUID()}","attachments":${declared},"context":{"a":${value}}}`);
  const form = encodeForm([{ name: "envelope", body: envelope }], { final: false });
  const attachment = '------a-test\'s-form\r\nContent-Disposition: form-data; name="a"\r\n\r\n';
  return Buffer.concat([
    Buffer.from(ingestHead([...door.lines, "Content-Length: 9500000"])),
    form,
    Buffer.from(attachment),
  ]);
}

for (const [what, value, status] of [
  ["1.6 million values", `[${"{},".repeat(1_650_000)}{}]`, 400],
  ["one long text", JSON.stringify("x".repeat(4_950_000)), undefined],
] as const) {
  test(`envelopes of 5 kB that inflate to 5 MB of ${what} take little memory, and others are served meanwhile`, async () => {
    await using door = await startDoor();
    await using child = await startVictim(door);
    const connections: Connection[] = [];
    const start = unending(door, value);
    assert.ok(start.length < 10_000);
    const { grownMegabytes, servedMeanwhile } = await suffer(child, door, async () => {
      for (let count = 0; count < 90; count += 1) {
        const connection = await openConnection(child.url);
        connections.push(connection);
        await connection.send(start);
      }
      if (status !== undefined) {
        for (const connection of connections) assert.equal((await connection.answer())?.status, status);
      }
      // An attachment is read only after the envelope before it was checked.
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(connections.map((connection) => connection.send(Buffer.alloc(1_000))));
        await submitHonest(child, door);
      }
    });
    assert.ok(grownMegabytes < 150, `grew by ${grownMegabytes} MB`);
    assert.ok(servedMeanwhile > 0);
    for (const connection of connections) connection.reset();
  });
}

test("a flood of refused uploads takes little memory, whatever the reason", async () => {
  await using door = await startDoor();
  await using child = await startVictim(door);
  const body = encodeForm([envelopePart({}), { name: "a", body: Buffer.alloc(5_242_880) }]);
  const length = `Content-Length: ${body.length}`;
  const stranger = ["Authorization: Bearer nobody", ...door.lines.slice(1), length];
  const { grownMegabytes, servedMeanwhile } = await suffer(child, door, async () => {
    await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        for (let round = 0; round < 3; round += 1) {
          await using connection = await openConnection(child.url);
          await connection.send(ingestHead(index % 2 === 0 ? stranger : [...door.lines, length]));
          await connection.send(body);
          assert.equal((await connection.answer())?.status, index % 2 === 0 ? 401 : 400);
        }
      }),
    );
  });
  assert.ok(grownMegabytes < 150, `grew by ${grownMegabytes} MB`);
  assert.ok(servedMeanwhile > 0);
});

test("nothing that was read is kept for refused clients that stay connected", async () => {
  await using door = await startDoor();
  await using child = await startVictim(door, { LODGE_INGEST_IDLE_SECONDS: "600" }); // no connection is closed for being idle
  const body = encodeForm([envelopePart({}), { name: "a", body: Buffer.alloc(1_000_000) }]);
  let closed = 0;
  await Promise.all(
    Array.from({ length: 300 }, async () => {
      const connection = await openConnection(child.url);
      await connection.send(ingestHead([...door.lines, `Content-Length: ${body.length}`]));
      await connection.send(body.subarray(0, 300_000));
      assert.equal((await connection.answer())?.status, 400);
      void connection.closed.then(() => {
        closed += 1;
      });
    }),
  );
  const buffersMegabytes = async () => {
    const metrics = await (await fetch(`${child.url}/metrics`)).text();
    return Number(/^lodged_nodejs_external_memory_bytes (\S+)$/m.exec(metrics)?.[1]) / 1e6;
  };
  await until(async () => (await buffersMegabytes()) < 20);
  assert.equal(closed, 0);
});

test("a body of 480,000 parts without an envelope is refused after the sixth", async () => {
  await using door = await startDoor();
  const part = "------a-test's-form\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n";
  await using connection = await openConnection(door.url);
  await connection.send(ingestHead([...door.lines, `Content-Length: ${480_000 * part.length}`]));
  await connection.send(part.repeat(7)); // and waits for the answer before it sends the others
  const answer = await connection.answer();
  assert.deepEqual([answer?.status, answer?.body.error], [400, "envelope_part_missing"]);
});
