import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { applyWorld } from "../apps/server/src/provisioning/apply-world.ts";
import { startChildServer } from "./child-server.ts";
import { databaseUrl } from "./database-url.ts";
import { cpuSeconds, residentMegabytes } from "./proc.ts";
import { printTable, writeResults } from "./results.ts";
import { percentile, rounded } from "./statistics.ts";

// How long it takes from assigning a ticket to the first line of its run's log, and to its branch, with a runner that is
// otherwise idle; and what a runner costs that has nothing to do.
const runs = 20;
const idleSeconds = 20;
const pollMs = 10;
const targets = { firstLineP50MsMax: 1_000 };

const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
const observer = openPool(postgres.address, createLog("warn"));
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(folder, { recursive: true, force: true }));
stack.defer(() => postgres.stop());
stack.use(observer);

const bare = makeRepository();
await migrate(observer);
const { tokens, runners, organisation } = await applyWorld(makeBasics(observer), {
  organisation: { name: "Acme", slug: "acme", credits: 1_000 },
  projects: [
    {
      name: "Web",
      slug: "web",
      repositories: [{ name: "web", url: bare }],
      boards: [{ name: "Inbox", columns: ["Backlog"] }],
    },
  ],
  tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  runners: [{ name: "bench" }],
});
const server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
  DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
  LODGE_DATA_DIR: join(folder, "service"),
  LODGE_SECRET: "a secret of the benchmark, long enough to be one",
  LODGE_TICKET_RATE_PER_MINUTE: "1000000",
});
stack.defer(server.stop);
const url = `http://127.0.0.1:${server.port}`;
const runner = await startRunner();
stack.defer(async () => {
  runner.kill("SIGTERM");
  await once(runner, "exit");
});

const firstLineMs: number[] = [];
const branchMs: number[] = [];
for (let run = -1; run < runs; run++) {
  const began = performance.now();
  const id = await assign();
  const firstLine = await timeUntil(began, () =>
    observer.query("select from agent_runs where ticket_id = $1 and log_length > 0", [id]),
  );
  const branch = await timeUntil(began, () =>
    observer.query("select from agent_runs where ticket_id = $1 and state = 'succeeded'", [id]),
  );
  if (run < 0) continue; // the first one loads what the runner has not used yet
  firstLineMs.push(firstLine);
  branchMs.push(branch);
}
const pid = runner.pid ?? 0;
const [runnerBefore, serverBefore] = [await cpuSeconds(pid), await cpuSeconds(server.pid)];
await sleep(idleSeconds * 1000);
const results = {
  firstLineP50Ms: rounded(percentile(firstLineMs, 0.5), 0),
  firstLineP95Ms: rounded(percentile(firstLineMs, 0.95), 0),
  branchP50Ms: rounded(percentile(branchMs, 0.5), 0),
  branchP95Ms: rounded(percentile(branchMs, 0.95), 0),
  idleRunnerCorePercent: rounded((((await cpuSeconds(pid)) - runnerBefore) / idleSeconds) * 100, 2),
  idleServerCorePercent: rounded((((await cpuSeconds(server.pid)) - serverBefore) / idleSeconds) * 100, 2),
  idleRunnerMegabytes: rounded(await residentMegabytes(pid), 0),
};
printTable(
  ["agent", ""],
  [
    ["assigned to first line of the log, p50 ms", String(results.firstLineP50Ms)],
    ["the same, p95 ms", String(results.firstLineP95Ms)],
    ["assigned to pushed branch, p50 ms", String(results.branchP50Ms)],
    ["the same, p95 ms", String(results.branchP95Ms)],
    ["idle runner, % of a core", String(results.idleRunnerCorePercent)],
    ["idle runner, MB", String(results.idleRunnerMegabytes)],
    ["server meanwhile, % of a core", String(results.idleServerCorePercent)],
  ],
);
await writeResults("agent", { load: { runs, idleSeconds }, results });
const held = results.firstLineP50Ms < targets.firstLineP50MsMax;
console.log(held ? "\nHeld: p50 below a second." : "\nNOT held.");
if (!held) process.exitCode = 1;

function makeRepository(): string {
  const path = join(folder, "web.git");
  const git = (...parameters: string[]) => execFileSync("git", parameters, { encoding: "utf8" }).trim();
  git("init", "--quiet", "--bare", "--initial-branch=main", path);
  const tree = execFileSync("git", ["-C", path, "hash-object", "-t", "tree", "-w", "--stdin"], {
    input: "",
    encoding: "utf8",
  });
  const names = ["-c", "user.name=Ada", "-c", "user.email=ada@acme.test"];
  const commit = git(...names, "-C", path, "commit-tree", tree.trim(), "-m", "Begin");
  git("-C", path, "update-ref", "refs/heads/main", commit);
  return path;
}

async function startRunner() {
  const tokenFile = join(folder, "runner.token");
  await writeFile(tokenFile, runners[0]?.secret ?? "");
  const main = fileURLToPath(new URL("../apps/server/bin/lodged.mjs", import.meta.url));
  const options = ["--url", url, "--token-file", tokenFile, "--work-dir", join(folder, "work")];
  return spawn(process.execPath, [main, "agent-runner", ...options, "--command", "date > changed.txt"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
}

async function assign(): Promise<string> {
  const response = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens[0]?.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "t", assigneeUserId: organisation.agentUserId }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as { id: string }).id;
}

async function timeUntil(began: number, ask: () => Promise<{ rowCount: number | null }>): Promise<number> {
  while ((await ask()).rowCount === 0) await sleep(pollMs);
  return performance.now() - began;
}
