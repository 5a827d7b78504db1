import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { declare, encodeForm, envelopePart, formBoundary } from "../../testing/encode-form.ts";
import { lodgedMain } from "../../testing/lodged-main.ts";
import { randomBytes } from "../../testing/random.ts";
import { makeHome } from "../../testing/run-lodged.ts";
import { startDoor } from "../../testing/start-door.ts";

const secret = "a secret that only the tests know, long enough";
// A small disk that only this process can see, and that disappears with it.
const onSmallDisk = `mkdir -p "$LODGE_DATA_DIR/artifacts" && mount -t tmpfs -o size=3m store "$LODGE_DATA_DIR/artifacts" &&
  exec "$0" "$@"`;

test("if the disk fills up during a report, it gets a 503, nothing of it is kept, and a retry succeeds once there is room", async () => {
  await using door = await startDoor({ LODGE_ROLES: "api" });
  const { tokens } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  await using home = await makeHome();
  const lodged = home.run(
    ["--mount", "sh", "-c", onSmallDisk, process.execPath, lodgedMain(), "serve"],
    { ...door.env, LODGE_DATA_DIR: home.dataDir, LODGE_SECRET: secret, LODGE_ROLES: "api,ingest" },
    { node: "unshare", main: "--map-root-user" },
  );
  const url = await lodged.ready();
  const store = join(`/proc/${lodged.pid}/root`, home.dataDir, "artifacts");
  const files = async () =>
    (await readdir(store, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const submit = (reportId: string, bytes: Buffer) =>
    fetch(`${url}/api/ingest`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${door.key}`,
        "content-type": `multipart/form-data; boundary="${formBoundary}"`,
      },
      body: new Uint8Array(
        encodeForm([envelopePart({ reportId, attachments: [declare("log", bytes)] }), { name: "log", body: bytes }]),
      ),
    });
  const bytes = randomBytes(2_000_000);
  assert.equal((await submit("first", bytes)).status, 200);

  const refused = await submit("second", bytes);
  assert.deepEqual([refused.status, ((await refused.json()) as { error: string }).error], [503, "unavailable"]);
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  assert.equal((await files()).length, 1, "the partly written file is deleted");
  assert.deepEqual(await door.reportIds(), ["first"]);
  const filed = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens[0]?.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "The disk is full" }),
  });
  assert.equal(filed.status, 201);

  for (const { parentPath, name } of await files()) await rm(join(parentPath, name));
  const again = await submit("second", bytes);
  assert.deepEqual([again.status, ((await again.json()) as { idempotent: boolean }).idempotent], [200, false]);
});
