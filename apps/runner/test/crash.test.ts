import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { AppliedWorld } from "@lodge/contract/world";
import pg from "pg";
import { freePort } from "../../server/src/testing/free-port.ts";
import { type Lodged, makeMigratedHome } from "../../server/src/testing/run-lodged.ts";
import { until } from "../../server/src/testing/until.ts";

const run = promisify(execFile);

test("killing the server, or the server and its runner, loses no run, log line or credit", async () => {
  await using home = await makeMigratedHome();
  const bare = join(home.folder, "web.git");
  const seed = join(home.folder, "seed");
  const git = (...parameters: string[]) =>
    run("git", ["-c", "user.name=Ada", "-c", "user.email=ada@acme.test", ...parameters]);
  await mkdir(seed);
  await git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  await git("init", "--quiet", seed);
  await git("-C", seed, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  await git("-C", seed, "push", "--quiet", bare, "HEAD:main");
  const world = join(home.folder, "world.json");
  await writeFile(
    world,
    JSON.stringify({
      organisation: { name: "Acme", slug: "acme", credits: 5 },
      projects: [
        {
          name: "Web",
          slug: "web",
          repositories: [{ name: "web", url: `file://${bare}` }],
          boards: [{ name: "Inbox", columns: ["Backlog"] }],
        },
      ],
      tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
      runners: [{ name: "builder" }],
    }),
  );
  const port = `${await freePort()}`;
  const serve = () => home.serve({ PORT: port, LODGE_DEMO: "off" });
  let server = await serve();
  const applied = JSON.parse((await home.run(["apply", world]).ended).stdout) as AppliedWorld;
  const tokenFile = join(home.folder, "token");
  await writeFile(tokenFile, applied.runners[0]?.secret ?? "");
  const command = 'for i in $(seq 40); do echo "line $i."; sleep 0.1; done; date > done.txt';
  const work = (): Lodged =>
    home.run([
      ...[
        "agent-runner",
        "--url",
        server.url,
        "--token-file",
        tokenFile,
        "--allow-file-repositories",
        "--command",
        command,
      ],
      ...["--work-dir", join(home.folder, "work")],
    ]);
  const kill = async ({ kill, ended }: Lodged) => {
    kill("SIGKILL");
    await ended;
  };
  const assign = async () => {
    const answer = await fetch(`${server.url}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${applied.tokens[0]?.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "t", assigneeUserId: applied.organisation.agentUserId }),
    });
    return ((await answer.json()) as { id: string }).id;
  };
  const read = async (text: string, values: string[] = []) => {
    const client = new pg.Client(home.database);
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const logOf = async (ticketId: string): Promise<{ position: number; text: string }[]> =>
    read(
      `select position, text from run_log_entries join agent_runs run on run.id = run_id
       where ticket_id = $1 order by position`,
      [ticketId],
    );
  const says = (ticketId: string, text: string) => async () =>
    (await logOf(ticketId)).some((entry) => entry.text.includes(text));
  const isOver = (ticketId: string) => async () =>
    (await read("select from agent_runs where ticket_id = $1 and state = 'succeeded'", [ticketId])).length > 0;
  const linesOf = async (ticketId: string) => {
    const log = await logOf(ticketId);
    assert.deepEqual(
      log.map(({ position }) => position),
      log.map((_, index) => index),
    );
    return [
      ...log
        .map(({ text }) => text)
        .join("")
        .matchAll(/line (\d+)\./g),
    ].map(([, line]) => Number(line));
  };
  const all = Array.from({ length: 40 }, (_, index) => index + 1);

  let runner = work();
  const first = await assign();
  await until(says(first, "line 5."));
  await kill(server);
  server = await serve();
  await until(isOver(first));
  assert.deepEqual(await linesOf(first), all);

  const second = await assign();
  await until(says(second, "line 5."));
  await Promise.all([kill(server), kill(runner)]);
  server = await serve();
  runner = work();
  await until(isOver(second));
  const lines = await linesOf(second);
  const again = lines.lastIndexOf(1);
  assert.deepEqual(lines.slice(0, again), all.slice(0, again), "the log of the killed runner is kept");
  assert.deepEqual(lines.slice(again), all);

  const [ledger] = await read(
    "select credits, (select sum(amount) from credit_entries)::integer as sum from organisations where slug = 'acme'",
  );
  assert.deepEqual(ledger, { credits: 3, sum: 3 });
  runner.kill("SIGTERM");
  assert.equal((await runner.ended).code, 0);
});
