import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { startEmbeddedPostgres } from "./platform/postgres/embedded-postgres.ts";
import { makeHome, processesNaming } from "./testing/run-lodged.ts";
import { startCollector } from "./testing/start-collector.ts";
import { startMailServer } from "./testing/start-mail-server.ts";
import { startRedis } from "./testing/start-redis.ts";
import { startPair } from "./testing/start-standby.ts";

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
  assert.match(beside.stdout, /^note {3}Port: .* is in use by a Lodge server/m);
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

test("the doctor explains what is wrong with the port, the data directory and the database", async () => {
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

test("the doctor reports who else can access the data directory and the secret, and the server refuses to start", async () => {
  await using home = await makeHome();
  await mkdir(home.dataDir, { recursive: true, mode: 0o700 });
  const secret = join(home.dataDir, "secret");
  await writeFile(secret, `${"s".repeat(43)}\n`, { mode: 0o600 });
  const sound = await home.run(["doctor"]).ended;
  assert.match(sound.stdout, /^ok {5}Data directory: .* mode 700$/m);
  assert.match(sound.stdout, /^ok {5}Secret: .*secret, owned by user \d+, mode 600$/m);

  await chmod(secret, 0o644);
  await chmod(home.dataDir, 0o777);
  const open = await home.run(["doctor"]).ended;
  assert.equal(open.code, 1);
  assert.match(open.stdout, /^wrong {2}Data directory: .* mode 777: other users can write to it\. Run chmod 700 /m);
  assert.match(open.stdout, /^wrong {2}Secret: .* mode 644: other users can read it\. Run chmod 600 /m);

  await chmod(secret, 0o666);
  assert.match(
    (await home.run(["doctor"]).ended).stdout,
    /^wrong {2}Secret: .*other users can write to it, so the server/m,
  );
  const refused = await home.run(["serve"], { PORT: "0" }).ended;
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Other users can write to the secret .*chmod 600/);
});

test("the doctor checks everything else that is set: replicas, Redis, the mail server and the trace collector", async () => {
  await using home = await makeHome();
  const ask = async (env: Record<string, string>) =>
    (await home.run(["doctor"], { LODGE_SECRET: "a secret that is long enough for a server", ...env }).ended).stdout;
  await using pair = await startPair();
  const primary = pair.url(pair.primary);
  const standby = pair.url(pair.standby);
  {
    await using redis = await startRedis();
    await using mail = await startMailServer();
    await using collector = await startCollector();
    const sound = await ask({
      DATABASE_URL: primary,
      DATABASE_REPLICA_URLS: standby,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      LODGE_SMTP_URL: mail.url,
      LODGE_MAIL_FROM: "lodge@acme.test",
      ...collector.env,
    });
    assert.doesNotMatch(sound, /^wrong/m);
    assert.match(sound, /^ok {5}Replica: 1 of DATABASE_REPLICA_URLS answers/m);
    assert.match(sound, /^ok {5}Redis: REDIS_URL \d+\.\d+\.\d+ answers$/m);
    assert.match(sound, /^ok {5}E-mail: LODGE_SMTP_URL accepts messages$/m);
    assert.match(sound, /^ok {5}Traces: the collector at http:.* accepts them$/m);
  }

  await using other = await makeHome();
  const { address } = await startEmbeddedPostgres(other.dataDir);
  await using collector = await startCollector(401);
  const sick = await ask({
    DATABASE_URL: `postgres://${address.user}@/${address.database}?host=${address.host}&port=${address.port}`,
    DATABASE_REPLICA_URLS: [standby, primary, "postgres://lodge:hidden-word@127.0.0.1:1/lodge"].join(),
    REDIS_URL: "redis://:hidden-word@127.0.0.1:1",
    LODGE_SMTP_URL: "smtp://me:hidden-word@127.0.0.1:1",
    LODGE_MAIL_FROM: "lodge@acme.test",
    LODGE_DISK_RESERVE: `${1e15}`,
    ...collector.env,
  });
  assert.match(sick, /^wrong {2}Replica: 1 of DATABASE_REPLICA_URLS is a standby of another database/m);
  assert.match(sick, /^wrong {2}Replica: 2 of DATABASE_REPLICA_URLS is not a standby/m);
  assert.match(sick, /^wrong {2}Replica: 3 of DATABASE_REPLICA_URLS: .*ECONNREFUSED/m);
  assert.match(sick, /^wrong {2}Redis: REDIS_URL: .*ECONNREFUSED/m);
  assert.match(sick, /^wrong {2}E-mail: LODGE_SMTP_URL: .*ECONNREFUSED/m);
  assert.match(sick, /^wrong {2}Traces: http:.*\/v1\/traces: /m);
  assert.match(sick, /^wrong {2}Disk: .* 1000000\.0 GB reserved, .*reports are refused/m);
  assert.doesNotMatch(sick, /hidden-word/);
});
