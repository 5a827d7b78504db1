import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { makeStoreKey } from "../../platform/store/store-key.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { sweepStore } from "./sweep-store.ts";

const hourMs = 3_600_000;
const bytes = Buffer.from("the bytes of a screenshot");

test("a file without an event is deleted after an hour, and a file with one is kept", async () => {
  const clock = movableClock();
  await using lodge = await startService({}, { clock });
  const key = await makeApp(lodge);
  await submit(lodge, key, "kept");
  const orphan = makeStoreKey(clock.now());
  await put(lodge, orphan);

  clock.move(0.9 * hourMs);
  assert.equal((await sweepStore(lodge.deps)).orphans, 0);
  clock.move(0.2 * hourMs);
  assert.equal((await sweepStore(lodge.deps)).orphans, 1);
  assert.equal(await lodge.deps.store.read(orphan), undefined);
  assert.equal((await storedKeys(lodge)).length, 1);
});

test("a file that came after the last sweep is found by the next one, days later", async () => {
  const clock = movableClock();
  await using lodge = await startService({}, { clock });
  await sweepStore(lodge.deps);
  await put(lodge, makeStoreKey(clock.now()));
  clock.move(72 * hourMs);
  await put(lodge, makeStoreKey(clock.now()));
  clock.move(2 * hourMs);
  assert.equal((await sweepStore(lodge.deps)).orphans, 2);
  assert.deepEqual(await storedKeys(lodge), []);
});

test("the leftovers of an upload whose process was killed are deleted soon", async () => {
  const clock = movableClock();
  await using lodge = await startService({}, { clock });
  const upload = await lodge.deps.store.create(makeStoreKey(clock.now()));
  await upload.write(bytes);
  clock.move(2 * hourMs);
  await sweepStore(lodge.deps);
  await assert.rejects(upload.commit(), { code: "ENOENT" });
});

test("artifacts are deleted after their retention; their event is kept and still de-duplicates", async () => {
  const clock = movableClock();
  await using lodge = await startService({ LODGE_ARTIFACT_RETENTION_DAYS: "30" }, { clock });
  const key = await makeApp(lodge);
  const first = await submit(lodge, key, "crash-1");
  clock.move(29 * 24 * hourMs);
  assert.equal((await sweepStore(lodge.deps)).expired, 0);
  clock.move(2 * 24 * hourMs);
  assert.equal((await sweepStore(lodge.deps)).expired, 1);
  assert.deepEqual(await storedKeys(lodge), []);
  assert.equal((await lodge.deps.db.selectFrom("artifacts").selectAll().execute()).length, 0);

  const again = await submit(lodge, key, "crash-1");
  assert.equal(again.idempotent, true);
  assert.equal(again.eventId, first.eventId);
  assert.deepEqual(await storedKeys(lodge), []);
});

function movableClock() {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    move: (ms: number) => {
      offsetMs += ms;
    },
  };
}

async function makeApp(lodge: Service): Promise<string> {
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  return apps[0]?.keys[0]?.key ?? "";
}

async function submit(lodge: Service, key: string, reportId: string) {
  const form = new FormData();
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const attachments = [{ partName: "screenshot", sha256, byteLength: bytes.length }];
  form.set("envelope", JSON.stringify({ reportId, attachments }));
  form.set("screenshot", new Blob([bytes]));
  const response = await fetch(`${lodge.url}/api/ingest`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  assert.equal(response.status, 200);
  return (await response.json()) as { eventId: string; idempotent: boolean };
}

async function put(lodge: Service, key: string): Promise<void> {
  const upload = await lodge.deps.store.create(key);
  await upload.write(Buffer.from(randomUUID()));
  await upload.commit();
}

async function storedKeys(lodge: Service): Promise<string[]> {
  return Array.fromAsync(lodge.deps.store.list(""));
}
