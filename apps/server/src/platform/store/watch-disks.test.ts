import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { encodeForm, envelopePart, formBoundary } from "../../testing/encode-form.ts";
import { lodgedMain } from "../../testing/lodged-main.ts";
import { ingestHead, openConnection } from "../../testing/open-connection.ts";
import { makeHome } from "../../testing/run-lodged.ts";
import { startDoor } from "../../testing/start-door.ts";
import { until } from "../../testing/until.ts";

const secret = "a secret that only the tests know, long enough";
const recoveryMsMax = 20_000;
// A separate disk that only this process sees, so that nothing else changes its free space.
const onOwnDisk = `mkdir -p "$LODGE_DATA_DIR" && mount -t tmpfs -o size=20m data "$LODGE_DATA_DIR" && exec "$0" "$@"`;

test("a full disk refuses reports only, until there is space again", async () => {
  await using door = await startDoor({ LODGE_ROLES: "api" });
  const { tokens } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  await using home = await makeHome();
  const lodged = home.run(
    ["--mount", "sh", "-c", onOwnDisk, process.execPath, lodgedMain(), "serve"],
    {
      ...door.env,
      LODGE_DATA_DIR: home.dataDir,
      LODGE_SECRET: secret,
      LODGE_ROLES: "api,ingest,dashboard",
      LODGE_DISK_RESERVE: "10000000",
    },
    { node: "unshare", main: "--map-root-user" },
  );
  const url = await lodged.ready();
  const submit = (reportId: string) =>
    fetch(`${url}/api/ingest`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${door.key}`,
        "content-type": `multipart/form-data; boundary="${formBoundary}"`,
      },
      body: new Uint8Array(encodeForm([envelopePart({ reportId })])),
    });
  const readiness = async () => (await fetch(`${url}/readyz`)).json();
  assert.equal((await submit("before")).status, 200);
  assert.deepEqual(await readiness(), { status: "ready" });

  const filler = join(`/proc/${lodged.pid}/root`, home.dataDir, "filler");
  await writeFile(filler, Buffer.alloc(15_000_000));
  await until(async () => "lowDisks" in ((await readiness()) as object));
  assert.deepEqual(await readiness(), { status: "ready", lowDisks: ["data"] }, "tickets and pages are still served");
  const refused = await submit("meanwhile");
  assert.deepEqual([refused.status, ((await refused.json()) as { error: string }).error], [503, "unavailable"]);
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  {
    await using connection = await openConnection(url);
    await connection.send(ingestHead([...door.lines, "Content-Length: 1000", "Expect: 100-continue"]));
    assert.equal((await connection.answer())?.status, 503, "refused before the body is sent");
  }
  const filed = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens[0]?.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "The disk is full" }),
  });
  assert.equal(filed.status, 201);
  assert.equal((await fetch(`${url}/api/dashboard/setup`)).status, 200);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  const metric = (text: string, name: string) =>
    Number(new RegExp(`^${name}\\{disk="data"\\} (\\S+)$`, "m").exec(text)?.[1]);
  const text = await (await fetch(`${url}/metrics`)).text();
  assert.ok(metric(text, "lodged_disk_free_bytes") < metric(text, "lodged_disk_reserve_bytes"));

  await rm(filler);
  const freedAt = Date.now();
  await until(async () => !("lowDisks" in ((await readiness()) as object)));
  assert.equal((await submit("after")).status, 200);
  assert.deepEqual(await door.reportIds(), ["after", "before"]);
  assert.deepEqual(await door.refusals(), {}, "the database does not count refusals of a full disk");
  const lines = () => lodged.stdout().match(/^\{.*"disk":"data".*\}$/gm) ?? [];
  await until(() => lines().length > 1);
  const [full, free, ...more] = lines().map((line) => JSON.parse(line) as { level: string; time: string });
  assert.deepEqual([full?.level, free?.level, more], ["warn", "info", []]);
  assert.ok(Date.parse(free?.time ?? "") - freedAt < recoveryMsMax);
});
