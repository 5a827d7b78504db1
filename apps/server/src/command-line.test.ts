import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { locatePostgres } from "./platform/postgres/embedded-postgres.ts";
import { begin } from "./testing/begin.ts";
import { type Home, makeHome, makeMigratedHome, processesNaming } from "./testing/run-lodged.ts";
import { slowTest } from "./testing/slow-test.ts";
import { cloneDatabase } from "./testing/start-service.ts";
import { untilWaiting } from "./testing/until-waiting.ts";

const world = JSON.stringify({
  organisation: { name: "Acme", slug: "acme" },
  projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
  tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
});

test("lodged prints its version even with invalid settings", async () => {
  await using home = await makeHome();
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  const { code, stdout, stderr } = await home.run(["--version"], { PORT: "none" }).ended;
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${version}\n`, stderr: "" });
});

test("an invalid command line is reported without the values in it", async () => {
  await using home = await makeHome();
  const secret = "whsec_9f8e7d6c5b4a";
  for (const args of [
    [`--secret=${secret}`],
    ["serve", `--secret=${secret}`],
    ["serve", secret],
    ["token", "revoke", secret],
    [secret],
  ]) {
    const { code, stdout, stderr } = await home.run(args).ended;
    assert.deepEqual([code, stdout], [1, ""], args.join(" "));
    assert.match(stderr, /^error: /, args.join(" "));
    assert.ok(!stderr.includes(secret), stderr);
  }
});

test("apply works with and without a running server, and leaves none running", async () => {
  await using home = await makeHome();
  const file = await writeWorld(home);
  const made = await home.run(["apply", file]).ended;
  assert.deepEqual({ code: made.code, stderr: made.stderr }, { code: 0, stderr: "" });
  const secret = JSON.parse(made.stdout).tokens[0].secret as string;
  assert.match(secret, /^ldg_/);
  assert.deepEqual(processesNaming(home.dataDir), []);

  const server = await home.serve();
  assert.doesNotMatch(server.stdout(), /demo organisation/, "the database is not empty");
  const again = await home.run(["apply", file]).ended;
  assert.equal(again.code, 0);
  assert.equal(JSON.parse(again.stdout).tokens[0].secret, null);
  const filed = await fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: '{"title":"t"}',
  });
  assert.equal(filed.status, 201);
  server.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

slowTest("apply and a server that start at the same moment on a new data directory both succeed", async () => {
  await using home = await makeHome();
  const file = await writeWorld(home);
  const commands = [home.run(["apply", file]), home.run(["apply", file])];
  const server = await home.serve();
  for (const command of commands) {
    const { code, stderr } = await command.ended;
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  }
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  server.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

test("migrate prints each applied migration once", async () => {
  await using home = await makeHome();
  const first = await home.run(["migrate"]).ended;
  assert.equal(first.code, 0);
  assert.match(first.stdout, /^0001_platform\.sql\n/);
  const second = await home.run(["migrate"]).ended;
  assert.deepEqual({ code: second.code, stdout: second.stdout }, { code: 0, stdout: "" });
  assert.deepEqual(processesNaming(home.dataDir), []);
});

test("migrate needs no LODGE_SECRET, but the server with the same settings does", async () => {
  await using home = await makeHome();
  const { url, drop } = await cloneDatabase("template0");
  const env = { DATABASE_URL: url };
  const migrated = await home.run(["migrate"], env).ended;
  const served = await home.run(["serve"], env).ended;
  await drop();
  assert.equal(migrated.code, 0, migrated.stderr);
  assert.match(migrated.stdout, /^0001_platform\.sql\n/);
  assert.match(served.stderr, /LODGE_SECRET is required with DATABASE_URL/);
});

test("commands that read or change a database do not create one", async () => {
  await using home = await makeHome();
  const id = randomUUID();
  const commands = [
    ["keys", "list", "acme"],
    ["keys", "revoke", id],
    ["deliveries", "status"],
    ["deliveries", "resend", "--delivery", id],
    ["subscribers", "enable", id],
    ["subscribers", "rotate-secret", id],
    ["plan", "set", "acme", "team"],
  ];
  const refuseAll = async (env: Record<string, string>, expected: string) => {
    for (const args of commands) {
      const { code, stdout, stderr } = await home.run(args, env).ended;
      assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: "", stderr: `${expected}\n` }, args.join(" "));
    }
  };
  await refuseAll(
    {},
    `There is no database in ${home.dataDir}. Set LODGE_DATA_DIR (or DATABASE_URL) to that of the server.`,
  );
  assert.deepEqual(await readdir(home.folder), []);

  const { url, drop } = await cloneDatabase("template0");
  await refuseAll(
    { DATABASE_URL: url, LODGE_SECRET: "a secret that is long enough for a server" },
    "The database of DATABASE_URL is not a Lodge database. Set DATABASE_URL to that of the server.",
  );
  const client = new pg.Client(url);
  await client.connect();
  const made = await client.query("select from pg_class where relnamespace = 'public'::regnamespace");
  await client.end();
  await drop();
  assert.equal(made.rowCount, 0);
});

test("commands read a database while no server runs, and leave nothing running", async () => {
  await using home = await makeMigratedHome();
  await home.run(["apply", await writeWorld(home)]).ended;
  const { code, stdout, stderr } = await home.run(["deliveries", "status"]).ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.equal(JSON.parse(stdout).waiting, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

slowTest("a long-running command ends when it is told to stop twice, and leaves nothing behind", async () => {
  await using home = await makeMigratedHome();
  const server = await home.serve();
  const pool = new pg.Pool({ ...locatePostgres(home.dataDir).address });
  const client = await pool.connect();
  await client.query(`${begin}; lock table organisations in access exclusive mode`);
  const waiting = home.run(["apply", await writeWorld(home)]);
  await untilWaiting(pool, 1, "lodged tool"); // the server may wait for the table as well
  waiting.kill("SIGINT");
  await waiting.said("Press Ctrl-C again");
  await sleep(1_000); // two signals within a second are one
  waiting.kill("SIGINT");
  assert.equal((await waiting.ended).code, 1);
  await client.query("commit");
  assert.deepEqual((await client.query("select from organisations where slug = 'acme'")).rows, []);
  client.release();
  await pool.end();
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});

async function writeWorld(home: Home): Promise<string> {
  const file = join(home.folder, "world.json");
  await writeFile(file, world);
  return file;
}
