import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { locatePostgres } from "../platform/postgres/embedded-postgres.ts";
import { randomNumber } from "./random.ts";
import { makeHome, makeMigratedHome, processesNaming } from "./run-lodged.ts";
import { slowness } from "./slowness.ts";
import { until } from "./until.ts";

const manyTickets = { LODGE_TICKET_RATE_PER_MINUTE: "1000000" };

test("kill -9 while the database is created leaves a data directory that the next start opens", async () => {
  await using home = await makeHome();
  const lodged = home.run(["serve"]);
  // On a busy machine, the server may be ready before this process sees the unfinished folder.
  const isMade = () => lodged.stdout().includes('"msg":"ready"');
  await until(async () => isMade() || (await list(home.dataDir)).some((name) => name.includes("unfinished")));
  lodged.kill("SIGKILL");
  await lodged.ended;
  const next = await home.serve();
  assert.equal((await fetch(`${next.url}/readyz`)).status, 200);
  next.kill("SIGTERM");
  assert.equal((await next.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
  assert.deepEqual((await list(home.dataDir)).sort(), ["artifacts", "postgres", "postgres.log", "secret"]);
});

test("kill -9 at any moment of the start leaves a data directory that the next start opens", async () => {
  await using home = await makeHome();
  for (let afterMs = 50; afterMs <= 1_400; afterMs += 150 + randomNumber() * 150) {
    const lodged = home.run(["serve"]);
    await sleep(afterMs);
    lodged.kill("SIGKILL");
    await lodged.ended;
  }
  const next = await home.serve();
  assert.equal((await fetch(`${next.url}/readyz`)).status, 200);
  next.kill("SIGTERM");
  assert.equal((await next.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

for (const victim of ["the server", "PostgreSQL", "both"]) {
  test(`kill -9 of ${victim} under load loses no ticket that was answered`, async () => {
    await using home = await makeMigratedHome();
    const lodged = await home.serve(manyTickets);
    const token = /ldg_\w+/.exec(lodged.stdout())?.[0] ?? "";
    const answered: string[] = [];
    const load = Array.from({ length: 8 }, () => fileUntilItBreaks(lodged.url, token, answered));
    const enough = 100 + randomNumber() * 200;
    await until(() => answered.length > enough);
    if (victim !== "the server") process.kill((await home.postmaster()) ?? 0, "SIGKILL");
    if (victim !== "PostgreSQL") lodged.kill("SIGKILL");
    await Promise.all([...load, lodged.ended]);

    const next = await home.serve(manyTickets);
    const client = new pg.Client(locatePostgres(home.dataDir).address);
    await client.connect();
    const { rows } = await client.query<{ id: string }>("select id from tickets");
    await client.end();
    const kept = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      answered.filter((id) => !kept.has(id)),
      [],
    );
    next.kill("SIGINT");
    assert.equal((await next.ended).code, 0);
    assert.deepEqual(processesNaming(home.dataDir), []);
  });
}

test("when PostgreSQL loses one of its processes, the server waits and serves again within 20 s", async () => {
  await using home = await makeMigratedHome();
  const lodged = await home.serve(manyTickets);
  const token = /ldg_\w+/.exec(lodged.stdout())?.[0] ?? "";
  const file = async () => {
    const { status, body } = await fileTicket(lodged.url, token);
    assert.ok([201, 503].includes(status), `${status} ${body.error}`);
    return status;
  };
  for (let crashes = 0; crashes < 3; crashes++) {
    await until(async () => (await file()) === 201);
    const client = new pg.Client(locatePostgres(home.dataDir).address);
    await client.connect();
    const thrownOut = new Promise((resolve) => client.on("error", resolve));
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'lodged doors'",
    );
    process.kill(rows[0]?.pid ?? 0, "SIGKILL");
    const killedAt = performance.now();
    await thrownOut;
    await until(async () => (await file()) === 201);
    const ms = performance.now() - killedAt;
    assert.ok(ms < 20_000 * slowness(), `it took ${ms} ms`);
  }
  // The server still owns the directory: another server is refused, and SIGTERM stops PostgreSQL too.
  assert.match((await home.run(["serve"]).ended).stderr, /^Another Lodge server runs/);
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 0);
  assert.deepEqual(processesNaming(home.dataDir), []);
});

test("lock files with the id of a process that is not PostgreSQL do not prevent the start", async () => {
  await using home = await makeMigratedHome();
  const first = await home.serve();
  first.kill("SIGTERM");
  await first.ended;
  const { cluster, address } = locatePostgres(home.dataDir);
  const lines = [process.pid, cluster, 1, address.port, address.host, "", ""].join("\n");
  await writeFile(join(cluster, "postmaster.pid"), lines, { mode: 0o600 });
  await writeFile(join(address.host, `.s.PGSQL.${address.port}.lock`), lines, { mode: 0o600 });
  const next = await home.serve();
  assert.equal((await fetch(`${next.url}/readyz`)).status, 200);
  next.kill("SIGTERM");
  assert.equal((await next.ended).code, 0);
});

async function fileTicket(url: string, token: string): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"title":"under load"}',
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function fileUntilItBreaks(url: string, token: string, answered: string[]) {
  for (;;) {
    try {
      const { status, body } = await fileTicket(url, token);
      if (status === 201) answered.push(body.id ?? ""); // otherwise the machine is too busy, or the database is gone
    } catch {
      return;
    }
  }
}

const list = (folder: string) => readdir(folder).catch((): string[] => []);
