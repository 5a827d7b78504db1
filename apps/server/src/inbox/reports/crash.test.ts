import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { declare, encodeForm, envelopePart, formBoundary } from "../../testing/encode-form.ts";
import { ingestHead, openConnection } from "../../testing/open-connection.ts";
import { randomBytes } from "../../testing/random.ts";
import { startChild } from "../../testing/start-child.ts";
import {
  assertArtifactsAreWhole,
  assertStoreIsWhole,
  type Door,
  startDoor,
  storedFiles,
} from "../../testing/start-door.ts";
import { until } from "../../testing/until.ts";

/** The settings of a process that shares the database and the store of a door. */
const settingsOf = (door: Door, more: Record<string, string> = {}) => ({
  ...door.env,
  LODGE_DATA_DIR: door.deps.config.dataDir,
  LODGE_SECRET: "a secret that only the tests know, long enough",
  LODGE_DEMO: "off",
  ...more,
});

/** Submits a form to a process. Returns the answer, or undefined if the connection broke before it. */
async function submitTo(url: string, door: Door, body: Uint8Array) {
  try {
    const response = await fetch(`${url}/api/ingest`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${door.key}`,
        "content-type": `multipart/form-data; boundary="${formBoundary}"`,
      },
      body: body as Uint8Array<ArrayBuffer>,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

test("after kill -9 during a hundred uploads, each is either stored whole or accepted as new on retry", async () => {
  await using door = await startDoor();
  const { db, store } = door.deps;
  const backends = async () => {
    const { rows } = await door.deps.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  };
  let cutShort = 0;
  for (const killAfter of [1, 40]) {
    const own = new Set(await backends());
    await using child = await startChild(settingsOf(door));
    const reports = Array.from({ length: 100 }, () => {
      const reportId = randomUUID();
      const parts = ["a", "b"].map((name) => ({ name, body: randomBytes(150_000) }));
      const attachments = parts.map(({ name, body }) => declare(name, body));
      return { reportId, body: encodeForm([envelopePart({ reportId, attachments }), ...parts]) };
    });
    const received = new Map<string, unknown>();
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const uploads = reports.map(async ({ reportId, body }) => {
      let answer = await submitTo(child.url, door, body);
      while (answer?.status === 503) answer = await submitTo(child.url, door, body); // the machine is too busy
      if (!answer) return;
      assert.deepEqual([answer.status, answer.body.idempotent], [200, false]);
      received.set(reportId, answer.body.eventId);
      if (received.size === killAfter) resolve();
    });
    await enough;
    await child.kill();
    await Promise.all(uploads);
    cutShort += reports.length - received.size;
    // PostgreSQL may still commit what it received. Connections that the door opens meanwhile close after 10 s of
    // inactivity.
    await until(async () => (await backends()).every((pid) => own.has(pid)));

    const stored = await db.selectFrom("events").select(["report_id", "id"]).execute();
    const events = new Map(stored.map(({ report_id, id }) => [report_id, id]));
    for (const [reportId, eventId] of received) assert.equal(events.get(reportId), eventId);
    const artifacts = await db.selectFrom("artifacts").selectAll().execute();
    assert.equal(artifacts.length, 2 * events.size);
    await assertArtifactsAreWhole(artifacts, door.deps.config.dataDir);

    for (const { reportId, body } of reports) {
      const answer = await door.post(body);
      assert.deepEqual([answer.status, answer.body.idempotent], [200, events.has(reportId)]);
    }
  }
  assert.ok(cutShort > 0, "no upload was interrupted, so the test proves nothing");

  // The killed processes may leave files without an event, and nothing else.
  const keys = new Set((await db.selectFrom("artifacts").select("store_key").execute()).map((row) => row.store_key));
  const strays = (await storedFiles(door.deps.config.dataDir)).filter((file) => !keys.has(file));
  await store.delete(strays);
  await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
});

test("memory stays flat, whatever is sent to the ingestion endpoint", async () => {
  await using door = await startDoor();
  await using child = await startChild(settingsOf(door));
  const bomb = encodeForm([{ name: "envelope", body: gzipSync(Buffer.alloc(200_000_000, " ")) }]);
  assert.ok(bomb.length < 250_000);
  const nested = encodeForm([envelopePart({ reportId: "r", context: {} })]);
  await submitTo(child.url, door, nested);
  const idle = await child.residentBytes();
  let highest = idle;
  let done = false;
  const watch = until(async () => {
    highest = Math.max(highest, await child.residentBytes());
    return done;
  });
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => submitTo(child.url, door, bomb)));
    for (const answer of answers) assert.equal(answer?.body.error, "envelope_too_large");
  }
  const large = Buffer.alloc(20_000_000, "x");
  const upload = encodeForm([
    { name: "a", body: large },
    envelopePart({ reportId: "large", attachments: [declare("a", large)] }),
  ]);
  const uploads = await Promise.all(Array.from({ length: 20 }, () => submitTo(child.url, door, upload)));
  assert.equal(uploads.filter((answer) => answer?.body.idempotent === false).length, 1);
  done = true;
  await watch;
  const grown = (highest - idle) / 1_000_000;
  assert.ok(grown < 150, `grew by ${Math.round(grown)} MB`); // held in memory, the uploads alone would be 400 MB
});

test("hundreds of mixed requests leave no file, socket or timer open, and the server stops promptly", async () => {
  await using door = await startDoor();
  await using child = await startChild(settingsOf(door, { LODGE_INGEST_IDLE_SECONDS: "2" }));
  const attachment = randomBytes(100_000);
  const attachments = [declare("a", attachment)];
  const whole = (reportId: string) =>
    encodeForm([envelopePart({ reportId, attachments }), { name: "a", body: attachment }]);
  await submitTo(child.url, door, whole("first"));

  const kinds: ((index: number) => Promise<unknown>)[] = [
    (index) => submitTo(child.url, door, whole(`${index}`)),
    () => submitTo(child.url, door, whole("same")),
    () => submitTo(child.url, door, whole("cut").subarray(0, 60_000)),
    () =>
      submitTo(
        child.url,
        door,
        encodeForm([
          { name: "envelope", body: "{" },
          { name: "a", body: Buffer.alloc(3_000_000) },
        ]),
      ),
    () => submitTo(child.url, door, encodeForm([{ name: "envelope", body: gzipSync("{}").subarray(0, 12) }])),
    async (index) => {
      await using connection = await openConnection(child.url);
      await connection.send(ingestHead([...door.lines, "Content-Length: 200000"]));
      await connection.send(whole(`reset ${index}`).subarray(0, 50_000));
      connection.reset();
    },
    async (index) => {
      await using connection = await openConnection(child.url);
      await connection.send(ingestHead([...door.lines, "Content-Length: 200000"]));
      await connection.send(whole(`half ${index}`).subarray(0, 300 + index));
      connection.end();
      await connection.closed;
    },
    async (index) => {
      await using connection = await openConnection(child.url);
      await connection.send(ingestHead([...door.lines, "Content-Length: 100000000"]));
      await connection.send(whole(`announced ${index}`));
      await connection.closed;
    },
    async (index) => {
      if (index % 20 !== 0) return;
      await using connection = await openConnection(child.url);
      await connection.send(ingestHead([...door.lines, "Content-Length: 200000"]));
      await connection.send(whole(`stalled ${index}`).subarray(0, 50_000));
      await connection.closed;
    },
  ];
  const before = (await child.openFiles()).length;
  let next = 0;
  const worker = async () => {
    while (next < 600) {
      const index = next;
      next += 1;
      await kinds[index % kinds.length]?.(index);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  // Only idle connections of this process and of the database pool remain, which do not grow with the number of
  // requests.
  await until(async () => (await child.openFiles()).length < before + 60);
  await until(async () => {
    await assert.doesNotReject(storedFiles(door.deps.config.dataDir));
    return (await storedFiles(door.deps.config.dataDir)).every((file) => !file.startsWith(".unfinished"));
  });
  await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
  assert.equal(await child.stop(), 0);
});

test("a server that is told to stop finishes the uploads under way", async () => {
  await using door = await startDoor();
  await using child = await startChild(settingsOf(door));
  const attachment = randomBytes(200_000);
  const body = encodeForm([
    envelopePart({ reportId: "r", attachments: [declare("a", attachment)] }),
    { name: "a", body: attachment },
  ]);
  await using connection = await openConnection(child.url);
  await connection.send(ingestHead([...door.lines, `Content-Length: ${body.length}`]));
  await connection.send(body.subarray(0, 100_000));
  await until(async () => (await storedFiles(door.deps.config.dataDir)).length === 1);
  const stopped = child.stop();
  await until(async () => (await openConnection(child.url).then(closeAgain, () => "refused")) === "refused");
  await connection.send(body.subarray(100_000));
  const answer = await connection.answer();
  assert.deepEqual([answer?.status, answer?.headers.get("connection")], [200, "close"]);
  await connection.closed;
  assert.equal(await stopped, 0);
  await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
});

const closeAgain = async (connection: AsyncDisposable) => {
  await connection[Symbol.asyncDispose]();
  return "connected";
};
