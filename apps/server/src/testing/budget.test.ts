import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { connectionsOf } from "../platform/database/budget.ts";
import { signedIn, twoOrganisations } from "./dashboard-client.ts";
import { makeHome } from "./run-lodged.ts";
import { startService } from "./start-service.ts";
import { until } from "./until.ts";

/** The documented number of connections of a machine, by LODGE_PROCESSES. */
const documented = new Map(
  [
    ...readFileSync(new URL("../../../../docs/self-hosting.md", import.meta.url), "utf8").matchAll(
      /^\| (\d+) \| \d+ \| \d+ \| \d+ \| (\d+) \|$/gm,
    ),
  ].map(([, processes, connections]) => [Number(processes), Number(connections)]),
);

/** Besides its pools, a process has a connection for its worker's lock, and one that listens for changes. */
const besidePools = 2;

test("the documentation gives the right number of connections for the processes of a machine", () => {
  assert.deepEqual([...documented.keys()], [1, 2, 4, 8, 16]);
  for (const [processes, connections] of documented) {
    const { doors, dashboard, worker, upkeep } = connectionsOf(processes);
    assert.equal(processes * (doors + dashboard + worker + upkeep + besidePools), connections, `${processes}`);
  }
});

const kinds = ["doors", "dashboard", "worker", "worker lock", "live"];

for (const processes of [1, 4]) {
  test(`under load, LODGE_PROCESSES=${processes} takes no more connections than documented`, async () => {
    await using lodge = await startService({ LODGE_ROLES: "api,dashboard" });
    const { acme } = await twoOrganisations(lodge);
    const secret = acme.tokens[0]?.secret;
    const ada = await signedIn(lodge, "ada@acme.test");
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { rows: already } = await lodge.deps.pool.query("select pid from pg_stat_activity");
    const own = already.map(({ pid }) => pid);
    const taken = async () => {
      const { rows } = await lodge.deps.pool.query<{ count: number; names: string }>(
        `select count(*), string_agg(distinct application_name, ',' order by application_name) as names
        from pg_stat_activity where datname = current_database() and application_name like 'lodged %' and pid <> all($1)`,
        [own],
      );
      return rows[0] ?? { count: 0, names: "" };
    };
    await using home = await makeHome();
    const env = { ...lodge.env, LODGE_SECRET: lodge.deps.config.secret ?? "", LODGE_TICKET_RATE_PER_MINUTE: "1000000" };
    const lodged = await home.serve({ ...env, LODGE_PROCESSES: `${processes}` });
    await until(() => lodged.stdout().split("Server listening at").length - 1 === processes);
    let over = false;
    const repeat = async (path: string, init: RequestInit) => {
      while (!over) {
        const answered = fetch(`${lodged.url}${path}`, init).then((response) => response.arrayBuffer());
        await answered.catch(() => {}); // an idle connection may be closed just as it is used
      }
    };
    const ticket = {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: '{"title":"t"}',
    };
    const streams = Array.from({ length: 8 }, () =>
      httpRequest(`${lodged.url}/api/dashboard/events`, { agent: false, headers: { cookie } }).on("error", () => {}),
    );
    for (const stream of streams) stream.end();
    const load = [
      ...Array.from({ length: 64 }, () => repeat("/api/v1/tickets", ticket)),
      ...Array.from({ length: 32 }, () => repeat("/api/dashboard/projects", { headers: { cookie } })),
    ];
    let most = 0;
    const names = new Set<string>();
    const look = async () => {
      const seen = await taken();
      most = Math.max(most, seen.count);
      for (const name of seen.names.split(",")) names.add(name);
    };
    await until(async () => {
      await look();
      return kinds.every((kind) => names.has(`lodged ${kind}`));
    });
    for (let looks = 0; looks < 40; looks++) await look();
    over = true;
    await Promise.all(load);
    for (const stream of streams) stream.destroy();
    assert.ok(most <= (documented.get(processes) ?? 0), `${most} connections: ${[...names]}`);
    lodged.kill("SIGTERM");
    assert.equal((await lodged.ended).code, 0);
  });
}
