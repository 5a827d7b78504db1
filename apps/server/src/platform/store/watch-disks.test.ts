import assert from "node:assert/strict";
import { rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { envelopePart } from "../../testing/encode-form.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { ingestHead, openConnection } from "../../testing/open-connection.ts";
import { startDoor } from "../../testing/start-door.ts";
import { until } from "../../testing/until.ts";

const marginBytes = 400_000_000;
const recoveryMsMax = 5_000;

test("a disk that fills up refuses reports and nothing else, until there is room again", async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  const { log, lines } = logIntoMemory();
  await using door = await startDoor({ LODGE_DISK_RESERVE: `${bavail * bsize - marginBytes}` }, { log });
  const { tokens } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  const submit = (reportId: string) => door.submit([envelopePart({ reportId })]);
  const isReady = async () => (await door.request("GET", "/readyz")).status === 200;
  assert.equal((await submit("before")).status, 200);
  assert.equal(await isReady(), true);

  const filler = join(door.deps.config.dataDir, "filler");
  for (let written = 0; written < 2 * marginBytes; written += 100_000_000) {
    await writeFile(filler, Buffer.alloc(100_000_000), { flag: "a" });
  }
  await until(async () => !(await isReady()));
  assert.equal((await door.request("GET", "/readyz")).body.reason, "a disk has less free than its reserve");
  const refused = await submit("meanwhile");
  assert.deepEqual([refused.status, refused.body.error], [503, "unavailable"]);
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  {
    await using connection = await openConnection(door.url);
    await connection.send(ingestHead([...door.lines, "Content-Length: 1000", "Expect: 100-continue"]));
    assert.equal((await connection.answer())?.status, 503, "before any of it is sent");
  }
  assert.equal((await door.fileTicket(tokens[0]?.secret, { title: "The disk is full" })).status, 201);
  assert.equal((await door.request("GET", "/api/dashboard/setup")).status, 200);
  assert.equal((await door.request("GET", "/healthz")).status, 200);
  const metric = (text: string, name: string) =>
    Number(new RegExp(`^${name}\\{disk="data"\\} (\\S+)$`, "m").exec(text)?.[1]);
  const { text } = await door.request("GET", "/metrics");
  assert.ok(metric(text, "lodged_disk_free_bytes") < metric(text, "lodged_disk_reserve_bytes"));

  await rm(filler);
  const freedAt = Date.now();
  await until(isReady);
  assert.equal((await submit("after")).status, 200);
  assert.deepEqual(await door.reportIds(), ["after", "before"]);
  assert.deepEqual(await door.refusals(), {}, "the database is not asked to keep count of it");
  const [full, free, ...more] = lines().filter(({ disk }) => disk === "data");
  assert.deepEqual([full?.level, free?.level, more], ["warn", "info", []]);
  assert.ok(Date.parse(String(free?.time)) - freedAt < recoveryMsMax);
});
