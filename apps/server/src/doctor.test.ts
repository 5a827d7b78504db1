import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { makeHome, processesNaming } from "./testing/run-lodged.ts";

test("the doctor finds nothing wrong before the first start, beside a server and after it, and changes nothing", async () => {
  await using home = await makeHome();
  const before = await home.run(["doctor"]).ended;
  assert.equal(before.code, 0, before.stdout);
  assert.match(before.stdout, /^note {3}Database: none yet/m);
  assert.match(before.stdout, /^ok {5}Store: files below .*artifacts$/m);
  assert.equal(existsSync(home.dataDir), false);

  const server = await home.serve();
  const beside = await home.run(["doctor"], { PORT: new URL(server.url).port }).ended;
  assert.equal(beside.code, 0, beside.stdout);
  assert.match(beside.stdout, /^ok {5}Database: .* answers, up to date; a Lodge server uses it$/m);
  assert.match(beside.stdout, /^note {3}Port: .* is served by a Lodge/m);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  server.kill("SIGTERM");
  await server.ended;

  const after = await home.run(["doctor"]).ended;
  assert.equal(after.code, 0, after.stdout);
  assert.match(after.stdout, /^note {3}Database: not running/m);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

test("the doctor names every wrong setting", async () => {
  await using home = await makeHome();
  const { code, stdout } = await home.run(["doctor"], { PORT: "much", LODGE_STORE: "s3" }).ended;
  assert.equal(code, 1);
  assert.match(stdout, /^wrong {2}Settings: PORT must be/m);
  assert.match(stdout, /^wrong {2}Settings: S3_BUCKET is required with LODGE_STORE=s3/m);
});

test("the doctor says what is wrong with the port, the data directory and the database", async () => {
  await using home = await makeHome();
  await using squatter = createServer().listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const { port } = squatter.address() as AddressInfo;
  squatter.on("connection", (socket) => socket.destroy());
  await mkdir(join(home.dataDir, "postgres"), { recursive: true, mode: 0o700 });
  await writeFile(join(home.dataDir, "postgres/PG_VERSION"), "17\n");
  const taken = await home.run(["doctor"], { PORT: `${port}` }).ended;
  assert.equal(taken.code, 1);
  assert.match(taken.stdout, /^wrong {2}Port: .* is taken by another program/m);
  assert.match(taken.stdout, /^wrong {2}Database: .* was made by PostgreSQL 17/m);

  const nowhere = await home.run(["doctor"], { LODGE_DATA_DIR: "/dev/null/data" }).ended;
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stdout, /^wrong {2}Data directory: /m);

  const silent = await home.run(["doctor"], {
    DATABASE_URL: "postgres://lodge@127.0.0.1:1/lodge",
    LODGE_SECRET: "a secret that is long enough for a server",
  }).ended;
  assert.equal(silent.code, 1);
  assert.match(silent.stdout, /^wrong {2}Database: DATABASE_URL: .*ECONNREFUSED/m);
  assert.match(silent.stdout, /^ok {5}Store: .*artifacts; all servers on this DATABASE_URL must share this folder$/m);
});

test("the doctor says who else can get at the data directory and the secret, and the server refuses to start", async () => {
  await using home = await makeHome();
  await mkdir(home.dataDir, { recursive: true, mode: 0o700 });
  const secret = join(home.dataDir, "secret");
  await writeFile(secret, `${"s".repeat(43)}\n`, { mode: 0o600 });
  const sound = await home.run(["doctor"]).ended;
  assert.match(sound.stdout, /^ok {5}Data directory: .* mode 700$/m);
  assert.match(sound.stdout, /^ok {5}Secret: .*secret, of the user \d+, mode 600$/m);

  await chmod(secret, 0o644);
  await chmod(home.dataDir, 0o777);
  const open = await home.run(["doctor"]).ended;
  assert.equal(open.code, 1);
  assert.match(open.stdout, /^wrong {2}Data directory: .* mode 777: others can write it\. Run chmod 700 /m);
  assert.match(open.stdout, /^wrong {2}Secret: .* mode 644: others can read it\. Run chmod 600 /m);

  await chmod(secret, 0o666);
  assert.match((await home.run(["doctor"]).ended).stdout, /^wrong {2}Secret: .*others can write it, so the server/m);
  const refused = await home.run(["serve"], { PORT: "0" }).ended;
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Others than its owner can write the secret .*chmod 600/);
});
