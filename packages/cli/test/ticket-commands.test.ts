import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import type { Problem } from "@lodge/contract/apiproblems";
import type { Permission } from "@lodge/contract/roles";
import type { Ticket } from "@lodge/contract/tickets";
import { makeOrganisation } from "../../../apps/server/src/testing/make-organisation.ts";
import { startService, withWorker } from "../../../apps/server/src/testing/start-service.ts";
import { submitReport } from "../../../apps/server/src/testing/submit-report.ts";
import { until } from "../../../apps/server/src/testing/until.ts";
import { ciEnvironments } from "./ci-environments.ts";
import { runLodge } from "./run-lodge.ts";

const lodge = await startService(withWorker);
after(() => lodge[Symbol.asyncDispose]());
const folder = await mkdtemp(join(tmpdir(), "lodge-commands-"));
after(() => rm(folder, { recursive: true, force: true }));

const all: Permission[] = [
  "tickets:write",
  "tickets:read",
  "tickets:edit",
  "projects:read",
  "problems:read",
  "problems:edit",
];

/** An organisation with an app and a token, and commands that use it. */
async function start(permissions: Permission[] = all, scope: "all" | string[] = "all") {
  const acme = await makeOrganisation(lodge);
  const { tokens, apps } = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    tokens: [{ name: "Bot", scope, permissions }],
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  const env = { LODGE_URL: lodge.url, LODGE_TOKEN: tokens.find(({ name }) => name === "Bot")?.secret ?? "" };
  const run = (args: string[], more: Record<string, string> = {}, stdin = "") =>
    runLodge(args, { ...env, ...more }, stdin);
  const done = async (args: string[], more: Record<string, string> = {}, stdin = "") => {
    const { exitCode, stdout, stderr } = await run(args, more, stdin);
    assert.equal(exitCode, 0, `${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const json = async <T>(...args: string[]) => JSON.parse(await done([...args, "--json"])) as T;
  return { acme, run, done, json, key: apps[0]?.keys[0]?.key ?? "" };
}

test("ticket list prints a page of filtered tickets as a table or as JSON", async () => {
  const { acme, run, done, json } = await start();
  await done(["ticket", "create", "--title", "First \u001b[31mred", "--project", "web", "--label", "ci"]);
  await done([
    "ticket",
    "create",
    "--title",
    "Second",
    "--project",
    "web",
    "--priority",
    "high",
    "--due",
    "2026-05-08",
  ]);
  await done(["ticket", "create", "--title", "Elsewhere", "--project", "mobile"]);
  await until(async () => (await done(["ticket", "list"])).includes("WEB-2"));
  const table = await done(["ticket", "list", "--project", "web", "--sort", "priority"]);
  const [head = "", first = "", second = "", ...rest] = table.split("\n");
  assert.match(head, /^TICKET +COLUMN +PRIORITY +ASSIGNEE +DUE +TITLE$/);
  assert.match(first, /^WEB-2 +Backlog +high +2026-05-08 +Second$/);
  assert.match(second, /^WEB-1 +Backlog +none +First red$/);
  assert.deepEqual(rest, [""]);
  type Page = { tickets: Ticket[]; next: string | null };
  const titles = async (...args: string[]) =>
    (await json<Page>("ticket", "list", ...args)).tickets.map(({ title }) => title);
  assert.deepEqual(await titles("--label", "ci", "--project", acme.web.id), ["First red"]);
  assert.deepEqual(await titles("--search", "WEB-2"), ["Second"]);
  assert.deepEqual(await titles("--project", "web", "--column", "Doing"), []);
  assert.equal((await titles("--state", "all", "--assignee", "agent")).length, 0);
  const page = await run(["ticket", "list", "--limit", "2"]);
  const [, cursor = ""] = /For the next page, add --cursor (\S+)/.exec(page.stderr) ?? [];
  assert.equal((await titles("--limit", "2", "--cursor", cursor)).length, 1);
  const none = await run(["ticket", "list", "--state", "done"]);
  assert.deepEqual([none.exitCode, none.stdout, none.stderr], [0, "", "No tickets found.\n"]);
});

test("ticket commands show, edit, comment, close and open by number in any letter case", async () => {
  const { acme, done, json, run } = await start();
  await done(["ticket", "create", "--title", "Red", "--project", "web", "--description", "why\u0007"]);
  await until(async () => (await run(["ticket", "show", "web-1"])).exitCode === 0);
  const shown = await done(["ticket", "show", "web-1"]);
  assert.match(shown, /^Ticket +WEB-1\nTitle +Red\nColumn +Web \/ Inbox \/ Backlog\n/);
  assert.match(shown, /Author +Bot\n[\s\S]*\n\nwhy\n$/);
  const url = await done([
    ...[
      "ticket",
      "edit",
      "WEB-1",
      "--title",
      "Redder",
      "--priority",
      "high",
      "--assignee",
      "Ada",
      "--due",
      "2026-05-08",
    ],
    ...["--label", "ci", "--label", "web", "--column", "Doing", "--position", "bottom"],
  ]);
  assert.match(url, /^http\S+\/tickets\/[0-9a-f-]{36}\n$/);
  const edited = await json<Ticket>("ticket", "show", "WEB-1");
  assert.deepEqual(
    [edited.title, edited.priority, edited.assigneeUserId, edited.dueAt, edited.labels, edited.columnId],
    ["Redder", "high", acme.memberUserId, "2026-05-08", ["ci", "web"], acme.web.inbox.doingId],
  );
  const cleared = await json<Ticket>(
    ...["ticket", "edit", "WEB-1", "--assignee", "none", "--due", "none", "--add-label", "x", "--remove-label", "ci"],
  );
  assert.deepEqual([cleared.assigneeUserId, cleared.dueAt, cleared.labels], [null, null, ["web", "x"]]);
  assert.notEqual((await json<Ticket>("ticket", "edit", "WEB-1", "--archive")).archivedAt, null);
  assert.equal((await json<Ticket>("ticket", "edit", "WEB-1", "--restore")).archivedAt, null);
  const long = join(folder, "long.md");
  await writeFile(long, "Described **anew**");
  await done(["ticket", "edit", "WEB-1", "--description-file", long]);
  assert.equal((await json<Ticket>("ticket", "show", "WEB-1")).description, "Described **anew**");
  assert.equal(await done(["ticket", "comment", "WEB-1", "Red again"]), url);
  await done(["ticket", "comment", "WEB-1", "--file", "-"], {}, "from a pipe");
  assert.equal((await json<Ticket>("ticket", "show", "WEB-1")).commentCount, 2);
  assert.equal(await done(["ticket", "close", "WEB-1"]), url);
  assert.notEqual((await json<Ticket>("ticket", "show", "WEB-1")).doneAt, null);
  assert.equal((await json<Ticket>("ticket", "open", "WEB-1")).columnId, acme.web.inbox.backlogId);
});

test("errors are printed, and wrong usage sends nothing to the server", async () => {
  const { run } = await start();
  const reader = await start(["tickets:read"]);
  for (const [args, exitCode, said] of [
    [["ticket", "show", "WEB-9"], 1, /ticket_not_found/],
    [["ticket", "edit", "WEB-9"], 2, /Give at least one change/],
    [["ticket", "edit", "WEB-9", "--archive", "--restore"], 2, /not both/],
    [["ticket", "edit", "WEB-9", "--starts", "tomorrow"], 1, /ticket_not_found|invalid_input/],
    [["ticket", "comment", "WEB-9"], 2, /Give the text/],
    [["ticket", "comment", "WEB-9", "x", "--file", "-"], 2, /not both/],
    [["ticket", "comment", "WEB-9", "--file", "/nowhere"], 2, /cannot be read/],
    [["ticket", "list", "--board", "Nowhere", "--project", "web"], 2, /Choose one of: Inbox, Later/],
    [["ticket", "list", "--limit", "1000"], 1, /invalid_input[\s\S]*\/limit/],
    [["problem", "show", "nonsense"], 1, /problem_not_found/],
  ] as const) {
    const ended = await run([...args]);
    assert.deepEqual([ended.exitCode, ended.stdout], [exitCode, ""], `${args.join(" ")}: ${ended.stderr}`);
    assert.match(ended.stderr, said, args.join(" "));
  }
  const refused = await reader.run(["ticket", "close", "WEB-1"]);
  assert.match(refused.stderr, /The token lacks the permission tickets:edit/);
});

test("LODGE_PROJECT and LODGE_BOARD are the defaults of --project and --board, and --project disables LODGE_BOARD", async () => {
  const { acme, done } = await start();
  const env = { LODGE_PROJECT: "web", LODGE_BOARD: "Later" };
  const create = (...args: string[]) => ["ticket", "create", "--title", "t", "--json", ...args];
  const placeOf = async (...args: string[]) => {
    const { id } = JSON.parse(await done(create(...args), env));
    const { projectId, boardId } = JSON.parse(await done(["ticket", "show", id, "--json"])) as Ticket;
    return [projectId, boardId];
  };
  assert.deepEqual(await placeOf(), [acme.web.id, acme.web.later.id]);
  assert.deepEqual(await placeOf("--board", "Inbox"), [acme.web.id, acme.web.inbox.id]);
  assert.equal((await placeOf("--project", "mobile"))[0] === acme.web.id, false);
  assert.equal(
    (await done(["ticket", "list"], env)).trim().split("\n").length,
    2,
    "only tickets of the board are listed",
  );
});

test("problems are listed, shown and resolved", async () => {
  const { done, json, run, key } = await start();
  await submitReport(lodge.url, key, {
    reportId: "1",
    error: { type: "TypeError", message: "x", stack: "TypeError: x\n    at f (https://a.test/a.js:1:1)" },
    user: { id: "u-7" },
    app: { version: "2.4.0" },
  });
  type Page = { problems: Problem[] };
  const find = () => json<Page>("problem", "list", "--app", "ios", "--search", "user:u-7 type:TypeError");
  await until(async () => (await find()).problems.length === 1);
  const [problem] = (await find()).problems;
  const id = problem?.id ?? "";
  assert.match(
    await done(["problem", "list"]),
    new RegExp(`^PROBLEM +APP +STATE .*\n${id} +ios +open +1 +1 .* TypeError: x\n$`),
  );
  assert.match(await done(["problem", "show", id]), /Title +TypeError: x\nApp +ios\nState +open\n/);
  assert.match(await done(["problem", "resolve", id, "--in", "2.4.1"]), /State +resolved\n/);
  assert.deepEqual((await run(["problem", "list"])).stderr, "No problems found.\n");
  assert.equal((await json<Page>("problem", "list", "--state", "resolved")).problems[0]?.id, id);
});

test("a command gives up at its deadline, even if the server never responds", async () => {
  const silent = createServer(() => {}); // accepts connections and never responds
  const busy = createServer((_request, response) => void response.writeHead(429, { "retry-after": "86400" }).end());
  for (const server of [silent, busy]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const env = { LODGE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, LODGE_TOKEN: "ldg_x" };
      const args = ["ticket", "create", "--title", "t", "--timeout", "1"];
      const { exitCode, stderr } = await runLodge(args, env);
      assert.equal(exitCode, 3, stderr);
      assert.match(stderr, /--timeout|tried once|no time is left/);
      assert.equal((await runLodge([...args, "--fail-never"], env)).exitCode, 0);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }
  for (const seconds of ["0", "-1", "soon"]) {
    assert.equal((await runLodge(["token", "check", `--timeout=${seconds}`])).exitCode, 2, seconds);
  }
});

test("in CI a ticket names the commit, the branch and the run, unless --no-context is given", async () => {
  const { done } = await start();
  const github = { ...ciEnvironments["GitHub Actions"]?.env, GITHUB_SHA: "9a1b2c", GITHUB_REF_NAME: "main" };
  const described = async (...args: string[]) => {
    const dry = ["ticket", "create", "--title", "t", "--project", "web", "--dry-run", ...args];
    return (JSON.parse(await done(dry, github)) as { body: { description?: string } }).body.description;
  };
  const context = "Commit: 9a1b2c\nBranch: main\nRun: https://github.com/acme/web/actions/runs/1658821493";
  assert.equal(await described(), context);
  assert.equal(await described("--description", "It broke"), `It broke\n\n${context}`);
  assert.equal(await described("--no-context"), undefined);
  assert.equal(await described("--description", "It broke", "--no-context"), "It broke");
});

test("lodge help COMMAND prints the command's help, and suggests a similar name for a wrong one", async () => {
  const help = await runLodge(["help", "ticket", "create"]);
  assert.deepEqual([help.exitCode, help.stderr], [0, ""]);
  assert.equal(help.stdout, (await runLodge(["ticket", "create", "--help"])).stdout);
  assert.equal((await runLodge(["help"])).stdout, (await runLodge(["--help"])).stdout);
  for (const [args, meant] of [
    [["help", "tickte"], "ticket"],
    [["help", "ticket", "lst"], "list"],
    [["tickets"], "ticket"],
    [["ticket", "creat"], "create"],
    [["ticket", "list", "--stat", "open"], "--state"],
  ] as const) {
    const { exitCode, stdout, stderr } = await runLodge([...args]);
    assert.deepEqual([exitCode, stdout], [2, ""], args.join(" "));
    assert.ok(stderr.includes(`(Did you mean ${meant}?)`), stderr);
  }
  const leaf = await runLodge(["help", "ticket", "create", "more"]);
  assert.deepEqual([leaf.exitCode, leaf.stdout], [2, ""]);
});

/** The completions that bash offers for an incomplete line. */
async function completed(script: string, ...words: string[]): Promise<string[]> {
  const lines = `${script}\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _lodge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const child = spawn("bash", ["--norc", "-c", lines, "bash", "lodge", ...words]);
  return (await text(child.stdout)).split("\n").filter(Boolean);
}

test("bash completes commands, options and values", async () => {
  const { stdout: script } = await runLodge(["completion", "bash"]);
  assert.deepEqual(await completed(script, "ti"), ["ticket"]);
  assert.deepEqual(await completed(script, "ticket", "c"), ["create", "comment", "close"]);
  assert.deepEqual(await completed(script, "ticket", "show", "WEB-12", "--js"), ["--json"]);
  assert.deepEqual(await completed(script, "ticket", "list", "--state", ""), ["open", "done", "archived", "all"]);
  assert.deepEqual(await completed(script, "ticket", "list", "--label", "ci", "--pri"), ["--priority"]);
  assert.deepEqual(await completed(script, "problem", "list", "--sort", "e"), ["events"]);
  assert.deepEqual(await completed(script, "completion", ""), ["bash", "zsh", "fish", "--help"]);
  assert.deepEqual(
    await completed(script, "ticket", "create", "--description-file", ""),
    [],
    "bash completes file names by itself",
  );
  assert.deepEqual(await completed(script, "ticket", "list", "--timeout", ""), []);
  const fish = (await runLodge(["completion", "fish"])).stdout;
  assert.match(fish, /from ticket; and __fish_seen_subcommand_from list" -l state -x -a "open done archived all"/);
});
