import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { makeLink } from "../../inbox/artifacts/artifact-links.ts";
import { type BackupList, readList, writeList } from "../../operate/backup/backup-files.ts";
import { openPlace } from "../../operate/backup/backup-place.ts";
import { declare, envelopePart } from "../../testing/encode-form.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { randomBytes } from "../../testing/random.ts";
import { startDoor, storedFiles } from "../../testing/start-door.ts";
import { type ObjectStore, startObjectStore } from "../../testing/start-object-store.ts";
import { runCommand } from "../../testing/start-process.ts";
import { readConfig } from "../config/config.ts";
import { downloadHeaders } from "../http/download.ts";
import { openFileStore } from "./file-store.ts";
import { moveObjects, movingStore } from "./moving-store.ts";
import { artifactFolder } from "./open-store.ts";
import { openS3, textsOf } from "./s3-requests.ts";
import { openS3Store } from "./s3-store.ts";
import type { Store } from "./store.ts";
import { makeStoreKey } from "./store-key.ts";

const mib = 1_048_576;
const started = new AsyncDisposableStack();
let objects: ObjectStore;
before(async () => {
  objects = started.use(await startObjectStore());
});
after(() => started.disposeAsync());

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lodge-store-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
async function makeS3Store(): Promise<Store> {
  const { s3 } = readConfig(await objects.makeBucket(), "command");
  assert.ok(s3);
  return openS3Store(s3, await makeFolder());
}
const makeFileStore = async () => openFileStore(await makeFolder());

const keysIn = async (store: Store, prefix = "") => (await Array.fromAsync(store.list(prefix))).sort();
const makeKey = () => makeStoreKey(new Date());

async function put(store: Store, bytes: Buffer, key = makeKey()): Promise<string> {
  const upload = await store.create(key);
  for (let start = 0; start < bytes.length; start += 100_000)
    await upload.write(bytes.subarray(start, start + 100_000));
  await upload.commit();
  return key;
}
async function read(store: Store, key: string, range?: { start: number; end: number }) {
  const stream = await store.read(key, range);
  return stream && buffer(stream);
}

for (const { name, make } of [
  { name: "a folder", make: makeFileStore },
  { name: "a bucket", make: makeS3Store },
]) {
  describe(`a store in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await make();
    });

    test("stores objects of any size, and reads them whole or in part", async () => {
      await store.check();
      for (const length of [0, 1, 70_000, 8 * mib, 8 * mib + 1, 20 * mib]) {
        const bytes = randomBytes(length);
        const key = await put(store, bytes);
        assert.ok((await read(store, key))?.equals(bytes), `${length}`);
        if (length < 2) continue;
        const [start, end] = [length - 60_000, length - 2];
        assert.ok((await read(store, key, { start, end }))?.equals(bytes.subarray(start, end + 1)), `${length}`);
        assert.ok((await read(store, key, { start: 0, end: 0 }))?.equals(bytes.subarray(0, 1)));
      }
      assert.equal(await read(store, makeKey()), undefined);
    });

    test("hides uploads before the commit, and leaves nothing of aborted ones", async () => {
      const store = await make();
      for (const length of [1000, 9 * mib]) {
        const [key, given] = [makeKey(), makeKey()];
        const upload = await store.create(key);
        const givenUp = await store.create(given);
        for (const each of [upload, givenUp]) await each.write(randomBytes(length));
        assert.equal(await read(store, key), undefined);
        assert.deepEqual(await keysIn(store), []);
        await givenUp.abort();
        await upload.commit();
        assert.deepEqual(await keysIn(store), [key]);
        await upload.abort();
        assert.deepEqual(await keysIn(store), []);
      }
    });

    test("lists any number of objects by prefix, and deletes many at once, including missing ones", async () => {
      const store = await make();
      const keys = [];
      for (const day of ["2026-05-01", "2026-05-02"]) {
        for (let n = 0; n < 4; n++) keys.push(await put(store, Buffer.from("x"), `${day}/10-0${n}/${n}`));
      }
      assert.deepEqual(await keysIn(store), keys);
      assert.deepEqual(await keysIn(store, "2026-05-02/"), keys.slice(4));
      await store.delete([...keys.slice(0, 7), "2026-05-03/10-00/none"]);
      assert.deepEqual(await keysIn(store), keys.slice(7));
      await store.delete([]);
      await store.deleteUnfinished(new Date());
      assert.deepEqual(await keysIn(store), keys.slice(7));
    });
  });
}

test("the sweep deletes parts of a killed process, but not those of a running upload", async () => {
  const settings = readConfig(await objects.makeBucket(), "command").s3;
  assert.ok(settings);
  const store = await openS3Store(settings, await makeFolder());
  const ask = openS3(settings);
  const key = makeKey();
  const left = async () => textsOf(await (await ask({ method: "GET", query: { uploads: "" } })).text(), "Key");
  await ask({ method: "POST", key, query: { uploads: "" } });
  await store.deleteUnfinished(new Date(Date.now() - 3_600_000));
  assert.deepEqual(await left(), [key]);
  await store.deleteUnfinished(new Date(Date.now() + 60_000));
  assert.deepEqual(await left(), []);
});

test("the store refuses corrupted bytes and a wrong signature", async () => {
  const settings = readConfig(await objects.makeBucket(), "command").s3;
  assert.ok(settings);
  const wrongHash = { method: "PUT", key: makeKey(), body: Buffer.from("b"), sha256: Buffer.alloc(32) } as const;
  await assert.rejects(openS3(settings)(wrongHash), { name: "StoreError", message: /400 XAmzContentSHA256Mismatch/ });
  await assert.rejects(openS3Store({ ...settings, secretAccessKey: "another" }, await makeFolder()), {
    name: "OperatorError",
    message: /Cannot write attachments to the bucket .*403 SignatureDoesNotMatch/,
  });
});

test("a bucket stores reports like a folder, and takes over a folder's files while both are in use", async () => {
  const clock = movableClock();
  const first = randomBytes(9 * mib);
  const second = randomBytes(1000);
  const attach = (reportId: string, bytes: Buffer) => [
    envelopePart({ reportId, attachments: [declare("log", bytes)] }),
    { name: "log", body: bytes },
  ];
  await using onFiles = await startDoor({}, { clock });
  assert.equal((await onFiles.submit(attach("first", first))).status, 200);
  const { dataDir } = onFiles.deps.config;
  const bucket = await objects.makeBucket();
  await using lodge = await startDoor({ ...onFiles.env, ...bucket, LODGE_DATA_DIR: dataDir }, { clock });
  const { store } = lodge.deps;
  assert.equal((await lodge.submit(attach("second", second))).status, 200);
  const wrong = attach("third", second).with(1, { name: "log", body: randomBytes(1000) });
  assert.equal((await lodge.submit(wrong)).body.error, "attachment_sha256_mismatch");
  const artifacts = async () =>
    (await lodge.deps.db.selectFrom("artifacts").select(["store_key", "byte_length"]).execute()).sort(
      (one, other) => other.byte_length - one.byte_length,
    );
  const [large, small] = (await artifacts()).map(({ store_key }) => store_key);
  assert.ok(large && small);
  const isThere = async () => {
    assert.ok((await read(store, large))?.equals(first));
    assert.ok((await read(store, small))?.equals(second));
  };
  await isThere();
  assert.deepEqual(await storedFiles(dataDir), [large]);

  const files = await openFileStore(artifactFolder({ dataDir }));
  const { s3 } = lodge.deps.config;
  assert.ok(s3);
  const objectStore = await openS3Store(s3, dataDir);
  const deleted = await put(files, Buffer.from("deleted during the move"), makeStoreKey(new Date(0)));
  const moved = await moveObjects(
    {
      ...files,
      read: async (key) => {
        const source = await files.read(key);
        if (key === deleted && (await keysIn(objectStore)).length === 1) await store.delete([key]);
        return source;
      },
    },
    objectStore,
  );
  assert.deepEqual(moved, { objects: 1, bytes: 9 * mib });
  assert.deepEqual(await storedFiles(dataDir), []);
  assert.deepEqual(await keysIn(objectStore), [large, small].sort());
  await isThere();

  const late = await put(files, second);
  const env = { ...bucket, LODGE_DATA_DIR: dataDir };
  const { stdout, stderr } = await runCommand(["artifacts", "move"], env);
  assert.deepEqual(JSON.parse(stdout), { objects: 1, bytes: 1000 }, stderr);
  assert.ok((await read(objectStore, late))?.equals(second));
  await store.delete([late]);
  assert.match((await runCommand(["doctor"], env)).stdout, /^ok {5}Store: the bucket lodge-\S+ at \S+ answers$/m);

  const orphan = await put(store, Buffer.from("x"), makeStoreKey(clock.now()));
  clock.move(2 * 3_600_000);
  assert.equal((await sweepStore(lodge.deps)).orphans, 1);
  assert.equal(await read(store, orphan), undefined);
  clock.move(91 * 24 * 3_600_000);
  assert.equal((await sweepStore(lodge.deps)).expired, 2);
  assert.deepEqual(await keysIn(store), []);
});

test("downloads redirect to a bucket that clients can access, which never serves executable content types", async () => {
  const bucket = await objects.makeBucket();
  await using lodge = await startDoor({ ...bucket, S3_DOWNLOAD_ENDPOINT: bucket.S3_ENDPOINT ?? "" });
  const bytes = Buffer.from("<script>alert(1)</script>");
  const attachments = [{ ...declare("page", bytes), filename: "Bild „1“ + (2)'.html", contentType: "text/html" }];
  const { body } = await lodge.submit([envelopePart({ reportId: "r", attachments }), { name: "page", body: bytes }]);
  const linked = { appId: lodge.appId, eventId: `${body.eventId}`, part: "0" };
  const link = makeLink(lodge.deps, linked);

  const answer = await fetch(link, { redirect: "manual" });
  const location = answer.headers.get("location") ?? "";
  assert.deepEqual([answer.status, answer.headers.get("cache-control")], [302, "no-store"]);
  assert.equal(new URL(location).origin, bucket.S3_ENDPOINT);
  const saved = await fetch(link);
  assert.ok(Buffer.from(await saved.arrayBuffer()).equals(bytes));
  assert.equal(saved.headers.get("content-type"), "application/octet-stream");
  const expected = downloadHeaders("Bild „1“ + (2)'.html", null)["content-disposition"];
  assert.equal(saved.headers.get("content-disposition"), expected);
  const part = await fetch(link, { headers: { range: "bytes=1-6" } });
  assert.deepEqual([part.status, await part.text()], [206, "script"]);
  const head = await fetch(link, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-length")], [200, `${bytes.length}`]);
  const asPage = location.replace(
    "response-content-type=application%2Foctet-stream",
    "response-content-type=text%2Fhtml",
  );
  assert.notEqual(asPage, location);
  assert.equal((await fetch(asPage)).status, 403);

  // Lodge's pages only load files from Lodge: their content security policy allows nothing else.
  const shown = await fetch(link, { headers: { "sec-fetch-dest": "image" }, redirect: "manual" });
  assert.deepEqual([shown.status, await shown.text()], [200, bytes.toString()]);
  assert.equal((await fetch(link.replace("/0?", "/1?"), { redirect: "manual" })).status, 403);
  const [key = ""] = await keysIn(lodge.deps.store);
  const files = await makeFileStore();
  await put(files, bytes, key);
  await lodge.deps.store.delete([key]);
  assert.equal((await fetch(link, { redirect: "manual" })).status, 404);
  const saveAs = { contentType: "text/plain", contentDisposition: "attachment" };
  assert.equal(
    await movingStore(lodge.deps.store, files).presign(key, "GET", saveAs),
    undefined,
    "an object that is not yet in the bucket gets no link",
  );
});

test("a backup can be stored in a bucket, complete and without other files, and each file is sent once", async () => {
  const { LODGE_STORE: _, S3_BUCKET: bucket = "", ...account } = await objects.makeBucket();
  const config = readConfig({ ...account, LODGE_DATA_DIR: await makeFolder() }, "command");
  const source = await makeFolder();
  const files = {
    label: randomBytes(10),
    "base/1/2619_fsm": randomBytes(70_000),
    "base/1/16384.1": randomBytes(9 * mib),
  };
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), bytes);
  }
  const folder = await makeFolder();
  for (const root of [`s3://${bucket}/backups`, folder]) {
    const [first, second] = await Promise.all(["1", "2"].map((name) => openPlace(config, `${root}/${name}`)));
    assert.ok(first && second);
    for (const place of [first, second]) await place.prepare();
    const list: BackupList = { format: 1, lodged: "0", endedAt: "now", folders: ["base"], files: [] };
    for (const [path, bytes] of Object.entries(files)) {
      const copied = await first.put(path, join(source, path));
      assert.deepEqual(copied, { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
      list.files.push({ path, ...copied });
    }
    assert.equal(await first.put("gone", join(source, "gone")), undefined);
    await assert.rejects(readList(first), /has no complete backup: it has no backup\.ndjson/);
    await writeList(first, list);
    assert.deepEqual(await readList(first), list);
    await assert.rejects(first.prepare(), /is not empty/);
    for (const path of Object.keys(files)) await second.takeOver(path, first);
    await first.empty();
    await first.prepare();
    for (const [path, bytes] of Object.entries(files)) {
      const found = await second.read(path);
      assert.ok(found && (await buffer(found)).equals(bytes), path);
    }
    assert.equal(await second.read("gone"), undefined);
  }
  await assert.rejects(
    (await openPlace(config, `s3://${bucket}/other`)).takeOver("label", await openPlace(config, folder)),
    /a backup of the same kind/,
  );
  await assert.rejects(openPlace(config, "s3://UPPER/x"), /is not an s3:\/\/bucket\/prefix/);
  const { s3Account, ...without } = config;
  await assert.rejects(openPlace({ ...without, s3Account: undefined }, `s3://${bucket}/x`), /needs S3_ACCESS_KEY_ID/);
  assert.ok(s3Account);
});

test("reports get 503 while the store does not respond, and are stored once afterwards", async () => {
  await using lodge = await startDoor(await objects.makeBucket());
  const bytes = randomBytes(1000);
  const form = [envelopePart({ reportId: "r", attachments: [declare("log", bytes)] }), { name: "log", body: bytes }];
  await objects.stop();
  try {
    const refused = await lodge.submit(form);
    assert.deepEqual([refused.status, refused.body.error], [503, "unavailable"]);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal((await lodge.request("GET", "/readyz")).body.reason, "the store cannot be written to");
    assert.deepEqual(await lodge.reportIds(), []);
  } finally {
    await objects.start();
  }
  assert.equal((await lodge.submit(form)).body.idempotent, false);
  assert.equal((await lodge.submit(form)).body.idempotent, true);
  assert.equal((await keysIn(lodge.deps.store)).length, 1);
});
