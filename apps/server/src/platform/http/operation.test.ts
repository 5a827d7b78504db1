import assert from "node:assert/strict";
import { test } from "node:test";
import { readMetrics } from "../../testing/read-metrics.ts";
import { makeHome, makeMigratedHome } from "../../testing/run-lodged.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";

test("metrics can be read from this machine, or elsewhere with a token that has the permission", async () => {
  await using lodge = await startService(withWorker);
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    tokens: [
      { name: "Prometheus", scope: "all", permissions: ["metrics:read"] },
      { name: "CI", scope: "all", permissions: ["tickets:write"] },
    ],
  });
  const read = (headers: Record<string, string>) => readMetrics(lodge, headers);
  await lodge.request("GET", "/healthz");
  const here = await read({});
  assert.equal(here.status, 200);
  assert.match(here.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(here.text, /^lodged_http_request_duration_seconds_count/m);
  assert.match(here.text, /^lodged_database_connections\{pool="doors",state="idle"\} [1-9]\d*$/m);
  assert.match(here.text, /^lodged_database_connections\{pool="worker",state="in_use"\} [1-9]\d*$/m);
  assert.match(here.text, /^lodged_database_waiting\{pool="dashboard"\} 0$/m);
  assert.match(here.text, /^lodged_process_deaths_total 0$/m);

  assert.equal((await read({})).status, 200);
  for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"]) {
    assert.equal((await read({ [header]: "127.0.0.1" })).status, 401, header);
  }
  const proxied = (secret: string | null | undefined) =>
    read({ "x-forwarded-for": "192.0.2.1", authorization: `Bearer ${secret}` });
  assert.equal((await proxied(tokens[0]?.secret)).status, 200);
  const refused = await proxied(tokens[1]?.secret);
  assert.deepEqual([refused.status, refused.body.required], [403, "metrics:read"]);
  const unmarked = await read({});
  assert.equal(unmarked.status, 401, "after a request through a proxy, unmarked ones may be through it too");

  await using behind = await startService({ ...lodge.env, LODGE_TRUSTED_PROXIES: "192.0.2.1" });
  assert.equal(
    (await readMetrics(behind)).status,
    401,
    "with LODGE_TRUSTED_PROXIES, every request may be through a proxy",
  );
  const headers = { authorization: `Bearer ${tokens[0]?.secret}` };
  assert.equal((await readMetrics(behind, headers)).status, 200);
});

test("a server is alive but not ready while its database is gone, and ready again when it is back", async () => {
  await using database = await makeMigratedHome();
  await using home = await makeHome();
  const { address, stop } = await startEmbeddedPostgres(database.dataDir);
  const lodged = await home.serve({
    DATABASE_URL: `postgres://${address.user}@localhost/${address.database}?host=${encodeURIComponent(address.host)}`,
    LODGE_SECRET: "a secret that is long enough for a server",
  });
  const isReady = async () => (await fetch(`${lodged.url}/readyz`)).status === 200;
  await until(isReady);
  await stop();
  const gone = await fetch(`${lodged.url}/readyz`);
  assert.equal(gone.status, 503);
  assert.deepEqual(await gone.json(), { status: "not ready", reason: "the database does not answer" });
  assert.equal((await fetch(`${lodged.url}/healthz`)).status, 200);
  const back = await startEmbeddedPostgres(database.dataDir);
  await until(isReady);
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 0);
  await back.stop();
});
