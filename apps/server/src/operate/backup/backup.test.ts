import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { AppliedWorld } from "@lodge/contract/world";
import { readConfig } from "../../platform/config/config.ts";
import { openPool } from "../../platform/database/database.ts";
import { createLog } from "../../platform/observe/log.ts";
import { locatePostgres, startEmbeddedPostgres } from "../../platform/postgres/embedded-postgres.ts";
import { dumpDatabase } from "../../testing/dump-database.ts";
import { randomBytes } from "../../testing/random.ts";
import { type Home, makeHome, makeMigratedHome } from "../../testing/run-lodged.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { openPlace } from "./backup-place.ts";

// Without a worker nothing changes in the background, and rows can be compared.
const quiet = {
  LODGE_ROLES: "api,ingest,dashboard",
  LODGE_DEMO: "off",
  LODGE_TICKET_RATE_PER_MINUTE: "1000000",
  LODGE_INGEST_RATE_LIMITS: "off",
};
const world = {
  organisation: { name: "Acme", slug: "acme" },
  projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
  tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  apps: [{ name: "iOS", slug: "ios", keys: ["release"] }],
};

test("an impossible bucket name is refused with the naming rules", async () => {
  for (const name of ["s3://x/y", "s3://Backups/lodge", "s3://backups"]) {
    await assert.rejects(
      openPlace(readConfig({}), name),
      /is not an s3:.* A bucket's name has 3 to 63 lowercase letters/,
    );
  }
});

test("a backup of a busy server contains every acknowledged write, and the next one shares unchanged files", async () => {
  await using home = await makeMigratedHome();
  const { answered, untilAnswered, stop, url, attachments } = await work(home);
  await untilAnswered(50);
  const before = { tickets: [...answered.tickets], reports: [...answered.reports] };
  const first = join(home.folder, "first");
  const receipt = await run(home, "backup", first);
  const during = answered.reports.length - before.reports.length;
  assert.ok(during > 0, "the server accepted reports during the backup");
  assert.equal(receipt.linkedBytes, 0);
  await stop();

  const rows = await dump(home);
  const second = join(home.folder, "second");
  const shared = await run(home, "backup", second, "--since", first);
  assert.ok(shared.linkedBytes > 0 && shared.linkedBytes < shared.bytes, JSON.stringify(shared));
  assert.deepEqual(await slots(home), [], "no replication slot keeps the log");

  await using same = await makeHome();
  const restored = await run(same, "restore", second);
  assert.deepEqual(
    [restored.tickets, restored.events, restored.missing],
    [answered.tickets.length, answered.reports.length, 0],
  );
  // This table is unlogged, so it is empty after the restore.
  assert.deepEqual(await dump(same), { ...rows, rate_limits: [] });
  const stored = await hashesBelow(join(same.dataDir, "artifacts"));
  assert.deepEqual([...new Set(stored)].sort(), [...attachments].sort());
  assert.match(
    await refusal(same, "restore", second),
    /already has a database\. Set LODGE_DATA_DIR to an empty folder/,
  );

  // The first backup was made under load: it contains every write acknowledged before it started.
  await using earlier = await makeHome();
  const { missing } = await run(earlier, "restore", first);
  assert.equal(missing, 0);
  const kept = (await dump(earlier)) as { tickets: { row: string }[]; events: { row: string }[] };
  const idsOf = (table: { row: string }[], name: string) => new Set(table.map(({ row }) => JSON.parse(row)[name]));
  const tickets = idsOf(kept.tickets, "id");
  const events = idsOf(kept.events, "id");
  assert.deepEqual(
    [before.tickets.filter((id) => !tickets.has(id)), before.reports.filter((id) => !events.has(id))],
    [[], []],
  );
  const next = await earlier.serve(quiet);
  assert.equal((await fileTicket(next.url, answered.token)).status, 201, "with the same token");
  assert.notEqual(next.url, url);
});

test("an incomplete or damaged backup is refused, and leaves nothing half restored", async () => {
  await using home = await makeMigratedHome();
  const { untilAnswered, stop } = await work(home);
  await untilAnswered(20);
  let cut: string;
  let tries = 0;
  do {
    cut = join(home.folder, `cut-${tries++}`);
    const killed = home.run(["backup", cut]);
    const isCopying = async () => (await readdir(join(cut, "postgres")).catch(() => [])).length > 0;
    let isOver = false;
    const ended = killed.ended.then((end) => {
      isOver = true;
      return end;
    });
    await until(async () => isOver || (await isCopying()));
    killed.kill("SIGKILL");
    const { code, stderr } = await ended;
    assert.ok(code === 0 || code === null, stderr);
  } while ((await readdir(cut)).includes("backup.ndjson")); // a busy machine may take a while to get there
  await stop();
  await until(async () => (await slots(home)).length === 0);
  await using other = await makeHome();
  assert.match(await refusal(other, "restore", cut), /has no complete backup/);
  assert.match(await refusal(home, "backup", cut), /is not empty: name a folder of its own for each backup/);
  assert.match(await refusal(home, "backup", join(home.dataDir, "here")), /is in the data directory/);

  const whole = join(home.folder, "whole");
  await run(home, "backup", whole);
  const [name = ""] = await readdir(join(whole, "postgres/base/1"));
  const damaged = join(whole, "postgres/base/1", name);
  const bytes = await readFile(damaged);
  await writeFile(damaged, Buffer.concat([bytes.subarray(1), Buffer.from([1])]));
  const said = await refusal(other, "restore", whole);
  assert.ok(said.includes(`${damaged} is different from what was backed up`), said);
  assert.ok(!(await readdir(other.dataDir)).some((entry) => entry.startsWith("postgres")));
  await writeFile(damaged, bytes);
  const list = await readFile(join(whole, "backup.ndjson"), "utf8");
  const outside = join(whole, "../escaped");
  await writeFile(outside, "");
  await writeFile(join(whole, "backup.ndjson"), list.replace(/"path":"secret"/, '"path":"../escaped"'));
  assert.match(await refusal(other, "restore", whole), /lists a file that cannot be part of a backup: \.\.\/escaped/);
  await writeFile(join(whole, "backup.ndjson"), list);
  assert.equal((await run(other, "restore", whole)).missing, 0, "leftovers do not prevent a restore");
});

/** A server that receives tickets and reports with attachments until `stop`, and keeps running. */
async function work(home: Home) {
  const lodged = await home.serve(quiet);
  const file = join(home.folder, "world.json");
  await writeFile(file, JSON.stringify(world));
  const applied = (await run(home, "apply", file)) as unknown as AppliedWorld;
  const token = applied.tokens[0]?.secret ?? "";
  const key = applied.apps[0]?.keys[0]?.key ?? "";
  const answered = { token, tickets: [] as string[], reports: [] as string[] };
  const attachments = new Set<string>();
  let stopped = false;
  const fileTickets = async () => {
    while (!stopped) {
      const { status, body } = await fileTicket(lodged.url, token);
      assert.equal(status, 201, JSON.stringify(body));
      answered.tickets.push(body.id);
    }
  };
  const submitReports = async () => {
    while (!stopped) {
      const bytes = randomBytes(20_000);
      attachments.add(createHash("sha256").update(bytes).digest("hex"));
      const { eventId } = await submitReport(lodged.url, key, { reportId: randomUUID() }, [{ partName: "a", bytes }]);
      answered.reports.push(eventId);
    }
  };
  const load = Promise.all([fileTickets(), submitReports(), submitReports()]);
  let failure: Error | undefined;
  load.catch((error) => {
    failure = error;
  });
  return {
    url: lodged.url,
    answered,
    attachments,
    untilAnswered: (count: number) =>
      until(() => {
        if (failure) throw failure;
        return answered.tickets.length > count && answered.reports.length > count;
      }),
    stop: async () => {
      stopped = true;
      await load;
    },
  };
}

async function fileTicket(url: string, token: string) {
  const response = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "At midnight" }),
  });
  return { status: response.status, body: (await response.json()) as { id: string } };
}

async function run(home: Home, ...args: string[]) {
  const { code, stdout, stderr } = await home.run(args).ended;
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as { linkedBytes: number; bytes: number; tickets: number; events: number; missing: number };
}

async function refusal(home: Home, ...args: string[]) {
  const { code, stdout, stderr } = await home.run(args).ended;
  assert.deepEqual([code, stdout], [1, ""]);
  return stderr;
}

/** Dumps the database of a data directory, starting it if it is not running. */
async function dump(home: Home) {
  const isOurs = (await home.postmaster()) === undefined;
  const postgres = await startEmbeddedPostgres(home.dataDir);
  const pool = openPool(postgres.address, createLog("silent"));
  const rows = await dumpDatabase(pool);
  await pool.end();
  if (isOurs) await postgres.stop();
  return rows;
}

async function slots(home: Home) {
  const pool = openPool(locatePostgres(home.dataDir).address, createLog("silent"));
  const { rows } = await pool.query("select slot_name from pg_replication_slots");
  await pool.end();
  return rows;
}

async function hashesBelow(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) =>
      createHash("sha256")
        .update(await readFile(join(parentPath, name)))
        .digest("hex"),
    ),
  );
}
