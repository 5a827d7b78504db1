import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCell } from "../apps/server/src/operate/cells/add-cell.ts";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { sealingKeys } from "../apps/server/src/platform/config/seal.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { startGenerator } from "./generator.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import { cpuBetween, cpuSeconds, databaseCpu } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { median, percentile, rounded } from "./statistics.ts";

// Tickets through one server on one PostgreSQL, and through one on three cells, a PostgreSQL each, of which each has as
// many clients, so that as many go together. Both run on the same cores, so what three cells carry that have cores of their own each is reckoned from the CPU of a ticket.
const cells = 3;
const connectionsOfCell = 32;
const warmUpSeconds = 2;
const roundSeconds = 3;
const rounds = 3;
const ratioMin = 2.5;
const secret = randomUUID();

type Round = { ratePerSecond: number; p99Ms: number; serverCpuMicros: number; databaseCpuMicros: number };
type Contestant = { server: ChildServer; bearers: string[]; databases: Database[]; rounds: Round[] };
type Database = { url: string; name: string; observer: ReturnType<typeof openPool> };

const load = startGenerator<Load, LoadResult>("./load-generator.ts");
await using stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
stack.defer(() => rm(folder, { recursive: true, force: true }));
stack.defer(() => load.stop());

const one = [await startDatabase("one")];
const three = await Promise.all(Array.from({ length: cells }, (_, n) => startDatabase(`of-three-${n}`)));
const alone = await contest(one);
const [home, ...others] = three;
if (!home) throw new Error("there is no home");
for (const [n, { url }] of others.entries())
  await addCell(home.observer, sealingKeys(secret), `cell-${n + 1}`, { connectionString: url });
const divided = await contest(three);
for (const contestant of [alone, divided]) await drive(contestant, warmUpSeconds);
for (let round = 0; round < rounds; round++) {
  for (const contestant of [alone, divided]) contestant.rounds.push(await drive(contestant, roundSeconds));
}

const of = ({ rounds: all }: Contestant, what: keyof Round) => rounded(median(all.map((round) => round[what])), 1);
const figures = (contestant: Contestant) => ({
  ratePerSecond: of(contestant, "ratePerSecond"),
  p99Ms: of(contestant, "p99Ms"),
  serverCpuMicros: of(contestant, "serverCpuMicros"),
  databaseCpuMicros: of(contestant, "databaseCpuMicros"),
});
const [inOne, inThree] = [figures(alone), figures(divided)];
const ratio = rounded(
  (cells * (inOne.serverCpuMicros + inOne.databaseCpuMicros)) / (inThree.serverCpuMicros + inThree.databaseCpuMicros),
  2,
);
printTable(
  ["tickets", "rate/s on this machine", "p99 ms", "server µs", "PostgreSQL µs"],
  [
    ["one PostgreSQL", ...Object.values(inOne).map(String)],
    [`${cells} cells`, ...Object.values(inThree).map(String)],
  ],
);
console.log(`\n${cells} cells with cores of their own carry ${ratio} times what one does, by the CPU of a ticket.`);
await writeResults("cells", { load: { connectionsOfCell, rounds, roundSeconds }, one: inOne, three: inThree, ratio });
if (ratio < ratioMin) process.exitCode = 1;

async function startDatabase(name: string): Promise<Database> {
  const postgres = await startEmbeddedPostgres(join(folder, name));
  stack.defer(postgres.stop);
  const observer = stack.use(openPool(postgres.address, createLog("silent"), 2));
  await migrate(observer);
  return { url: databaseUrl(postgres.address, postgres.address.database), name: postgres.address.database, observer };
}

/** A server on databases that each have an organisation with tokens. */
async function contest(databases: Database[]): Promise<Contestant> {
  const bearers: string[] = [];
  for (const { observer } of databases) {
    const slug = `acme-${randomUUID()}`;
    const { tokens } = await applyWorld(makeBasics(observer), {
      organisation: { name: "Acme", slug },
      projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
      tokens: Array.from({ length: 8 }, (_, n) => ({ name: `CI ${n}`, scope: "all", permissions: ["tickets:write"] })),
    });
    bearers.push(...tokens.map((token) => token.secret ?? ""));
  }
  const server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databases[0]?.url ?? "",
    LODGE_DATA_DIR: join(folder, `server-${databases.length}`),
    LODGE_SECRET: secret,
    LODGE_TICKET_RATE_PER_MINUTE: "1000000000",
  });
  stack.defer(server.stop);
  return { server, bearers, databases, rounds: [] };
}

async function drive({ server, bearers, databases }: Contestant, seconds: number): Promise<Round> {
  const read = async () => ({
    server: await cpuSeconds(server.pid),
    databases: await Promise.all(databases.map(({ observer, name }) => databaseCpu(observer, name))),
  });
  const before = await read();
  const result = await load.run({
    port: server.port,
    path: "/api/v1/tickets",
    bearers,
    body: JSON.stringify({ title: "Nightly build is red" }),
    connections: connectionsOfCell * databases.length,
    seconds,
  });
  const after = await read();
  const filed = result.statuses["201"] ?? 0;
  if (filed !== Object.values(result.statuses).reduce((sum, count) => sum + count, 0)) {
    throw new Error(`not all were filed: ${JSON.stringify(result.statuses)}`);
  }
  const databaseSeconds = before.databases.reduce(
    (sum, then, n) => sum + cpuBetween(then, after.databases[n] ?? new Map()),
    0,
  );
  return {
    ratePerSecond: filed / result.seconds,
    p99Ms: percentile(result.latenciesMs, 0.99),
    serverCpuMicros: ((after.server - before.server) / filed) * 1e6,
    databaseCpuMicros: (databaseSeconds / filed) * 1e6,
  };
}
