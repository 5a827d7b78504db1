import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./testing/free-port.ts";
import { type Lodged, makeHome, makeMigratedHome, processesNaming } from "./testing/run-lodged.ts";
import { slowTest } from "./testing/slow-test.ts";
import { slowness } from "./testing/slowness.ts";
import { until } from "./testing/until.ts";

for (const processes of ["1", "2"]) {
  test(`a server with LODGE_PROCESSES=${processes} prints the demo's credentials before it is ready`, async () => {
    await using home = await makeMigratedHome();
    const port = await freePort();
    const lodged = home.run(["serve"], { PORT: `${port}`, LODGE_PROCESSES: processes });
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isReady);
    assert.match(lodged.stdout(), new RegExp(`http://127.0.0.1:${port}\\n *Sign in +demo@lodge.test`));
    lodged.kill("SIGTERM");
    assert.equal((await lodged.ended).code, 0);
  });
}

test("the first start shows the demo organisation once, with a curl command that works when pasted", async () => {
  await using home = await makeHome();
  const first = await home.serve();
  const curl = /curl (?:.*\\\n)+.*/.exec(first.stdout())?.[0] ?? "";
  const { stdout } = await promisify(execFile)("bash", ["-c", `${curl} -s -w '\\n%{http_code}'`]);
  const [body = "", status] = stdout.trim().split("\n");
  assert.equal(status, "201");
  assert.equal(JSON.parse(body).title, "Nightly build is red");
  assert.equal(first.stdout().match(/This is shown once/g)?.length, 1);
  first.kill("SIGINT");
  const { code, stderr } = await first.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(processesNaming(home.dataDir), []);

  const second = await home.serve();
  assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
  assert.doesNotMatch(second.stdout(), /ldg_|Sign in/);
  second.kill("SIGTERM");
  assert.equal((await second.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

slowTest("stopping during the start leaves nothing behind", async () => {
  await using home = await makeHome();
  for (const moment of ["postgres", "migrated"]) {
    const lodged = home.run(["serve"]);
    if (moment === "migrated") await lodged.said('"msg":"migrated"');
    else await until(async () => (await home.postmaster()) !== undefined);
    lodged.kill("SIGTERM");
    assert.equal((await lodged.ended).code, 0);
    assert.deepEqual(processesNaming(home.dataDir), []);
  }
});

slowTest("closing the terminal stops the server", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve();
  lodged.kill("SIGHUP");
  assert.equal((await lodged.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

test("a graceful stop finishes requests in progress and refuses new connections", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve();
  const slow = await startSlowTicket(lodged);
  lodged.kill("SIGTERM");
  lodged.kill("SIGTERM"); // Ctrl-C arrives twice if npm passes it on
  await lodged.said('"msg":"stopping"');
  await untilRefused(lodged.url);
  slow.request.end('"}');
  const [response] = (await once(slow.request, "response")) as [import("node:http").IncomingMessage];
  assert.equal(response.statusCode, 201);
  response.resume();
  const answered = performance.now();
  assert.equal((await lodged.ended).code, 0);
  assert.ok(performance.now() - answered < 20_000 * slowness(), "a kept-alive connection must not hold up the stop");
  assert.deepEqual(processesNaming(home.dataDir), []);
});

for (const processes of ["1", "2"]) {
  test(`a server with LODGE_PROCESSES=${processes} that is told to stop reports it immediately, and serves until it has drained`, async () => {
    await using home = await makeMigratedHome();
    const lodged = await home.serve({ LODGE_PROCESSES: processes, LODGE_DRAIN_SECONDS: "3600" });
    lodged.kill("SIGTERM");
    await lodged.said('"msg":"draining"');
    const ask = (path: string) => fetch(`${lodged.url}${path}`, { keepalive: true });
    await until(async () => (await ask("/readyz")).status === 503);
    assert.deepEqual(await (await ask("/readyz")).json(), { status: "not ready", reason: "the server is stopping" });
    const served = await ask("/api/dashboard/setup");
    assert.deepEqual([served.status, served.headers.get("connection")], [200, "close"]);
    await sleep(1_100); // signals within a second count as one
    lodged.kill("SIGTERM");
    assert.equal((await lodged.ended).code, 0, "a second signal does not wait for the drain");
    assert.deepEqual(processesNaming(home.dataDir), []);
  });
}

test("Ctrl-C does not drain", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve({ LODGE_DRAIN_SECONDS: "3600" });
  lodged.kill("SIGINT");
  assert.equal((await lodged.ended).code, 0);
});

slowTest("a second signal stops without waiting for requests", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve();
  const slow = await startSlowTicket(lodged);
  const cut = once(slow.request, "error");
  lodged.kill("SIGINT");
  await lodged.said('"msg":"stopping"');
  await sleep(1_100); // signals within a second count as one
  lodged.kill("SIGINT");
  await cut;
  assert.equal((await lodged.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

slowTest("a stop completes even if PostgreSQL does not respond", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve();
  const postmaster = (await home.postmaster()) ?? 0;
  process.kill(postmaster, "SIGSTOP");
  const began = performance.now();
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 1);
  assert.ok(performance.now() - began < 60_000 * slowness());
  process.kill(postmaster, "SIGCONT");
});

test("a second server on a data directory ends with a one-line error", async () => {
  await using home = await makeMigratedHome();
  const first = await home.serve();
  const second = await home.run(["serve"]).ended;
  assert.equal(second.code, 1);
  assert.match(second.stderr, /^Another Lodge server runs on the data directory .*\n$/);
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
});

slowTest("of servers that start at the same moment on a new data directory exactly one serves", async () => {
  await using home = await makeHome();
  const servers = [home.run(["serve"]), home.run(["serve"]), home.run(["serve"])];
  const outcomes = await Promise.all(
    servers.map((server) =>
      server.ready().then(
        () => "serves",
        () => "ended",
      ),
    ),
  );
  assert.deepEqual(outcomes.sort(), ["ended", "ended", "serves"]);
  for (const server of servers) server.kill("SIGTERM");
  const ends = await Promise.all(servers.map((server) => server.ended));
  assert.deepEqual(ends.map(({ code }) => code).sort(), [0, 1, 1]);
  for (const { code, stderr } of ends) assert.match(stderr, code === 0 ? /^$/ : /^Another Lodge server [^\n]*\n$/);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

test("a port that is taken gives a one-line error, and leaves no PostgreSQL running", async () => {
  await using home = await makeMigratedHome();
  await using squatter = createServer().listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const { port } = squatter.address() as AddressInfo;
  for (const LODGE_PROCESSES of ["1", "2"]) {
    const { code, stderr, stdout } = await home.run(["serve"], { PORT: `${port}`, LODGE_PROCESSES }).ended;
    assert.equal(code, 1);
    assert.equal(stderr, `Port ${port} of 127.0.0.1 is taken. Set PORT to another one.\n`);
    assert.doesNotMatch(stdout, /ldg_/, "the demo must not be shown by a server that does not serve");
    assert.deepEqual(processesNaming(home.dataDir), []);
  }
});

test("invalid settings are reported in one message, and nothing is started", async () => {
  await using home = await makeHome();
  const env = { PORT: "much", REDIS_URL: "127.0.0.1", LODGE_STORE: "s3" };
  const { code, stdout, stderr } = await home.run(["serve"], env).ended;
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.deepEqual(stderr.split("\n"), [
    "Invalid settings:",
    '  PORT must be a whole number from 0 to 65535, not "much"',
    '  REDIS_URL must be a redis://, rediss:// or redis+cluster:// address, not "…"',
    "  S3_BUCKET is required with LODGE_STORE=s3",
    "  S3_ACCESS_KEY_ID is required with LODGE_STORE=s3",
    "  S3_SECRET_ACCESS_KEY is required with LODGE_STORE=s3",
    "",
  ]);
});

test("an unwritable data directory and an unreachable database each give a one-line error", async () => {
  await using home = await makeHome();
  const nowhere = await home.run(["serve"], { LODGE_DATA_DIR: "/dev/null/data" }).ended;
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stderr, /^Cannot write to the data directory \/dev\/null\/data: [^\n]* Set LODGE_DATA_DIR\.\n$/);
  const silent = await home.run(["serve"], {
    DATABASE_URL: "postgres://lodge@127.0.0.1:1/lodge",
    LODGE_SECRET: "a secret that is long enough for a server",
  }).ended;
  assert.equal(silent.code, 1);
  assert.match(silent.stderr, /^The database of DATABASE_URL cannot be reached: [^\n]*\n$/);
});

slowTest("a server whose PostgreSQL dies reports it and ends, and the next start opens the database", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve();
  process.kill((await home.postmaster()) ?? 0, "SIGKILL");
  const { code, stderr } = await lodged.ended;
  assert.equal(code, 1);
  assert.match(stderr, /^The embedded PostgreSQL has stopped; [^\n]*\n$/);
  const next = await home.serve();
  assert.equal((await fetch(`${next.url}/readyz`)).status, 200);
});

/** Sends a ticket except its last two bytes. */
async function startSlowTicket(lodged: Lodged & { url: string }): Promise<{ request: ClientRequest }> {
  const token = /ldg_\w+/.exec(lodged.stdout())?.[0];
  const ticket = request(`${lodged.url}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": 13,
      expect: "100-continue",
    },
  });
  ticket.flushHeaders();
  await once(ticket, "continue");
  ticket.write('{"title":"t');
  return { request: ticket };
}

async function untilRefused(url: string) {
  for (;;) {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
    const refused = await once(socket, "connect").then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED",
    );
    socket.destroy();
    if (refused) return;
  }
}
