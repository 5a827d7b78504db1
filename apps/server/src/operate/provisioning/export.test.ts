import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { relateTickets } from "@lodge/contract/calls.generated";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { openPool } from "../../platform/database/database.ts";
import { makeBasics } from "../../platform/make-deps.ts";
import { createLog } from "../../platform/observe/log.ts";
import { signedIn } from "../../testing/dashboard-client.ts";
import { dumpDatabase } from "../../testing/dump-database.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { runCommand } from "../../testing/start-process.ts";
import { startProxy } from "../../testing/start-proxy.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { exportOrganisation } from "./export-organisation.ts";
import { importOrganisation } from "./import-organisation.ts";

const folder = await mkdtemp(join(tmpdir(), "lodge-export-"));
const here = await startService();
after(async () => {
  await here[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const acme = await makeLively(here, "acme");
await makeLively(here, "globex");
const file = join(folder, "acme.ndjson.gz");
const exported = await exportOrganisation(here.deps, "acme", file);

test("an export and import move an organisation with its rows, files, people, tokens and keys, and nothing else", async () => {
  await using there = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "1000000" });
  // Ada already has an account here; Grace is new.
  const [ada] = (
    await there.apply({
      organisation: { name: "Other", slug: "other" },
      members: [{ email: "ada@acme.test", name: "Ada", role: "owner", password: "another long password" }],
    })
  ).members;
  const before = await dumpDatabase(there.deps.pool);
  const imported = await importOrganisation(there.deps, file);
  assert.deepEqual(imported, {
    organisation: "acme",
    users: exported.users,
    known: 1,
    rows: exported.rows,
    files: exported.files,
  });
  assert.ok(exported.files >= 2 && exported.missing === 0, JSON.stringify(exported));

  const theirs = (text: string) => text.includes("globex");
  const came = minus(await dumpDatabase(there.deps.pool), before);
  const left = await dumpDatabase(here.deps.pool);
  assert.ok(!Object.values(came).flat().some(theirs));
  const adaThere = JSON.parse(left.users?.map(rowOf).find((row) => row.includes("ada@acme.test")) ?? "").id;
  const { users, passwords, ...others } = came;
  assert.deepEqual([users?.length, passwords?.length], [exported.users - 1, 1], "Grace, the agent, and a password");
  for (const [table, rows] of Object.entries(others)) {
    const source = left[table]?.map(rowOf).map((row) => row.replaceAll(adaThere, ada?.id ?? "")) ?? [];
    for (const row of rows) {
      assert.ok(source.map(withoutTransaction).includes(withoutTransaction(row)), `${table}: ${row}`);
    }
  }
  assert.equal(Object.values(others).flat().length, exported.rows);

  assert.equal((await there.fileTicket(acme.token, { title: "With the same token" })).status, 201);
  const again = await submitReport(there.url, acme.key, { reportId: "first", title: "A report of acme" });
  assert.equal(again.eventId, acme.eventId, "a report accepted before the export is a duplicate after the import");
  await submitReport(there.url, acme.key, { reportId: "new" });
  const isPolled = async () => {
    const headers = { authorization: `Bearer ${acme.token}` };
    const polled = await there.request("GET", "/api/v1/events", { headers });
    assert.equal(polled.status, 200, polled.text);
    return polled.text.includes(acme.eventId);
  };
  await until(isPolled); // an open transaction in any database of the server delays events
  assert.equal((await storedKeys(there)).length, exported.files);
  for (const store_key of await storedKeys(there)) {
    const [copy, original] = await Promise.all([there.deps.store.read(store_key), here.deps.store.read(store_key)]);
    assert.ok(copy && original);
    assert.deepEqual(await buffer(copy), await buffer(original));
  }
  await assert.rejects(importOrganisation(there.deps, file), /the organisation acme already exists/);
});

test("lodged export and lodged import work from a shell", async () => {
  await using there = await startService();
  const path = join(folder, `${randomUUID()}.gz`);
  const settings = ({ env, deps }: Service) => ({
    ...env,
    LODGE_DATA_DIR: deps.config.dataDir,
    LODGE_SECRET: deps.config.secret ?? "",
  });
  const written = await runCommand(["export", "acme", path], settings(here));
  assert.equal(written.code, 0, written.stderr);
  assert.equal(JSON.parse(written.stdout).rows, exported.rows);
  assert.match((await runCommand(["export", "acme", path], settings(here))).stderr, /already exists/);
  assert.match((await runCommand(["export", "nobody", `${path}.2`], settings(here))).stderr, /no organisation nobody/);
  const read = await runCommand(["import", path], settings(there));
  assert.equal(read.code, 0, read.stderr);
  assert.equal(JSON.parse(read.stdout).files, exported.files);
});

test("an incomplete, damaged or forged file imports nothing", async () => {
  await using there = await startService();
  const before = await dumpDatabase(there.deps.pool);
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split("\n");
  const index = (part: string) => lines.findIndex((line) => line.startsWith(part));
  const other = randomUUID();
  const changed = (at: number, change: (line: string) => string) => lines.with(at, change(lines[at] ?? ""));
  const files: [string[] | Buffer, RegExp][] = [
    [(await readFile(file)).subarray(0, -100), /unexpected end of file/],
    [lines.slice(0, -1), /it is cut off/],
    [lines.toSpliced(index('{"table":"tickets"'), 1), /lines are missing|violates foreign key/],
    [
      changed(index('{"table":"projects"'), (line) =>
        line.replace(/"organisation_id":"[^"]+"/, `"organisation_id":"${other}"`),
      ),
      /rows of projects that are another organisation's/,
    ],
    [
      changed(index('{"table":"apps"'), () => '{"table":"sessions","row":{}}'),
      /rows of sessions, which is not a table of an organisation/,
    ],
    [changed(index('{"chunk"'), () => '{"chunk":"AAAA"}'), /a file in it is damaged/],
    [changed(index('{"file"'), () => '{"file":"../../secret"}'), /is invalid/],
    [changed(index('{"file"'), () => '{"file":"2026-01-01/00-00/../x"}'), /is invalid/],
    [changed(index('{"file"'), () => '{"file":"2026-01-01/00-00/x"}'), /does not belong to the organisation/],
    [changed(0, (line) => line.replace(/"migration":"[^"]+"/, '"migration":"0001_x.sql"')), /made by another release/],
    [['{"lodgeExport":2}'], /this release cannot read it/],
    [["{}"], /lodged export did not write this file$/],
    [["null"], /lodged export did not write this file$/],
    [["nonsense"], /lodged export did not write this file$/],
    [Buffer.from("organisation: {name: Acme}\n"), /lodged export did not write this file$/],
  ];
  for (const [content, expected] of files) {
    const path = join(folder, "bad.gz");
    await writeFile(path, Buffer.isBuffer(content) ? content : gzipSync(`${content.join("\n")}\n`));
    await assert.rejects(importOrganisation(there.deps, path), expected);
  }
  await assert.rejects(importOrganisation(there.deps, join(folder, "missing")), /ENOENT/);
  assert.deepEqual(await dumpDatabase(there.deps.pool), before);
  const left = await readdir(join(there.deps.config.dataDir, "artifacts"), { recursive: true, withFileTypes: true });
  assert.deepEqual(
    left.filter((entry) => entry.isFile()),
    [],
  );
});

test("an import that was killed can be repeated, despite the files that it left", async () => {
  await using there = await startService();
  const killed = {
    ...there.deps.store,
    create: async (key: string) => {
      const upload = await there.deps.store.create(key);
      const commit = () => upload.commit().then(() => Promise.reject(new Error("killed")));
      return { ...upload, commit, abort: async () => {} };
    },
  };
  await assert.rejects(importOrganisation({ ...there.deps, store: killed }, file), /killed/);
  const [left] = await Array.fromAsync(there.deps.store.list(""));
  assert.ok(left);
  const path = join(there.deps.config.dataDir, "artifacts", left);
  const bytes = await readFile(path);
  await writeFile(path, "another file");
  await assert.rejects(importOrganisation(there.deps, file), /another file/);
  assert.deepEqual(await Array.fromAsync(there.deps.store.list("")), [left]);
  await writeFile(path, bytes);
  assert.equal((await importOrganisation(there.deps, file)).files, exported.files);
});

test("an import whose connection is lost during the commit keeps the files of what was committed", async () => {
  await using there = await startService();
  await using proxy = await startProxy(there.env.DATABASE_URL ?? "");
  await using pool = openPool({ connectionString: proxy.url }, createLog("silent"), 2);
  let files = 0;
  const store = {
    ...there.deps.store,
    create: async (key: string) => {
      const upload = await there.deps.store.create(key);
      const commit = async () => {
        await upload.commit();
        if (++files === exported.files) proxy.swallowAnswers();
      };
      return { ...upload, commit };
    },
  };
  const importing = assert.rejects(
    importOrganisation({ ...makeBasics(pool), store, sealing: there.deps.sealing }, file),
    /It is not known whether/,
  );
  const keys = () => storedKeys(there);
  await until(async () => (await keys()).length > 0);
  await proxy.refuse();
  await importing;
  assert.deepEqual((await Array.fromAsync(there.deps.store.list(""))).sort(), (await keys()).sort());
  await assert.rejects(importOrganisation(there.deps, file), /already exists/);
});

test("a sweep keeps the files of an import that is in progress", async () => {
  const clock = movableClock();
  await using there = await startService({}, { clock });
  clock.move(48 * 3_600_000);
  let sweeps = 0;
  const store = {
    ...there.deps.store,
    create: async (key: string) => {
      const upload = await there.deps.store.create(key);
      const commit = async () => {
        await upload.commit();
        await sweepStore(there.deps);
        sweeps += 1;
      };
      return { ...upload, commit };
    },
  };
  await importOrganisation({ ...there.deps, store }, file);
  assert.ok(sweeps > 0);
  for (const store_key of await storedKeys(there)) {
    const kept = await there.deps.store.read(store_key);
    assert.ok(kept, store_key);
    kept.destroy();
  }
});

/** An organisation with some of everything that people and SDKs create. */
async function makeLively(lodge: Service, slug: string) {
  const applied = await lodge.apply({
    organisation: { name: slug, slug },
    members: [
      { email: `ada@${slug}.test`, name: "Ada", role: "owner", password: "a long enough password" },
      { email: `grace@${slug}.test`, name: `Grace of ${slug}`, role: "member", password: "a long enough password" },
    ],
    projects: [{ name: `Web ${slug}`, slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
    tokens: [{ name: `CI ${slug}`, scope: "all", permissions: ["tickets:write", "tickets:edit", "events:read"] }],
    apps: [{ name: `iOS ${slug}`, slug: "ios", replies: true, keys: ["release"] }],
  });
  const token = applied.tokens[0]?.secret ?? "";
  const key = applied.apps[0]?.keys[0]?.key ?? "";
  const first = await lodge.fileTicket(
    token,
    { title: `A ticket of ${slug}`, problem: "nightly" },
    { "idempotency-key": slug },
  );
  assert.equal(first.status, 201, first.text);
  const attached = await lodge.request("POST", `/api/v1/tickets/${first.body.id}/attachments?filename=build.log`, {
    headers: { authorization: `Bearer ${token}` },
    body: Buffer.from(`the log of ${slug}`),
  });
  assert.equal(attached.status, 201, attached.text);
  const other = await lodge.fileTicket(token, { title: `Another ticket of ${slug}` });
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  await ada.call(relateTickets, {
    params: { ticketId: String(first.body.id) },
    body: { kind: "duplicateOf", otherId: String(other.body.id) },
  });
  const screenshot = { partName: "screenshot", bytes: Buffer.from(`the pixels of ${slug}`), contentType: "image/png" };
  const error = { type: "TypeError", message: `x is undefined in ${slug}`, stack: "TypeError: x\n    at f (a.js:1:1)" };
  const { eventId } = await submitReport(lodge.url, key, { reportId: "first", title: `A report of ${slug}` }, [
    screenshot,
  ]);
  await submitReport(lodge.url, key, { reportId: "second", kind: "crash", title: slug, error }, [screenshot]);
  return { token, key, eventId };
}

/** The keys of the files that rows name: of reports and of tickets. */
async function storedKeys({ deps: { db } }: Service): Promise<string[]> {
  const rows = await db
    .selectFrom("artifacts")
    .select("store_key")
    .unionAll(db.selectFrom("ticket_attachments").select("store_key"))
    .execute();
  return rows.map(({ store_key }) => store_key);
}

type Dump = Awaited<ReturnType<typeof dumpDatabase>>;

const rowOf = (row: unknown) => (row as { row: string }).row;
const withoutTransaction = (row: string) => row.replace(/"transaction_id": "\d+"|"transaction_id": \d+/, "");

/** The rows that were added since. */
function minus(now: Dump, then: Dump): Record<string, string[]> {
  const came = Object.entries(now).map(([table, rows]) => {
    const known = new Set(then[table]?.map(rowOf));
    return [table, rows.map(rowOf).filter((row) => !known.has(row))] as const;
  });
  return Object.fromEntries(came);
}
