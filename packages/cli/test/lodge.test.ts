import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Ticket } from "@lodge/contract/tickets";
import { makeOrganisation } from "../../../apps/server/src/testing/make-organisation.ts";
import { startService } from "../../../apps/server/src/testing/start-service.ts";
import { ciEnvironments } from "./ci-environments.ts";
import { runLodge } from "./run-lodge.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());
const folder = await mkdtemp(join(tmpdir(), "lodge-cli-files-"));
after(() => rm(folder, { recursive: true, force: true }));

const maps = join(folder, "dist");
await mkdir(maps);
await writeFile(join(maps, "app.js.map"), '{"version":3,"sources":[],"names":[],"mappings":""}');

const github = ciEnvironments["GitHub Actions"]?.env ?? {};
const create = (...args: string[]) => ["ticket", "create", ...args];

/** An organisation with a token that can look up names, and the environment of the command. */
async function start() {
  const acme = await makeOrganisation(lodge);
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    tokens: [
      { name: "CI", scope: "all", permissions: ["tickets:write", "tickets:read", "projects:read"] },
      { name: "Web only", scope: ["web"], permissions: ["tickets:write", "projects:read"] },
    ],
  });
  const envOf = (token = "") => ({ LODGE_URL: lodge.url, LODGE_TOKEN: token });
  const [all = "", web = ""] = tokens.map(({ secret }) => secret ?? "");
  const read = async (address: string) => {
    const id = address.trim().split("/").at(-1);
    const headers = { authorization: `Bearer ${all}` };
    return (await lodge.request("GET", `/api/v1/tickets/${id}`, { headers })).body as Ticket;
  };
  const count = async () =>
    (await lodge.deps.db.selectFrom("tickets").select("id").where("organisation_id", "=", acme.id).execute()).length;
  return { acme, env: envOf(web), all: envOf(all), blind: envOf(acme.tokens.web), read, count };
}

test("ticket create files a ticket and prints its address", async () => {
  const { env, acme, read } = await start();
  const { exitCode, stdout, stderr } = await runLodge(create("--title", "Build is red"), { ...env, ...github });
  assert.deepEqual([exitCode, stderr], [0, ""]);
  assert.match(stdout, /^http:\/\/[^\s]+\/tickets\/[0-9a-f-]{36}\n$/);
  assert.equal((await read(stdout)).column.id, acme.web.inbox.backlogId);
});

test("project, board, column, assignee and repository can be given by name, slug or id", async () => {
  const { all, acme, read } = await start();
  const { exitCode, stdout, stderr } = await runLodge(
    create(
      ...["--title", "t", "--project", "web", "--board", "later", "--column", "Chosen", "--assignee", "agent"],
      ...["--repository", "web", "--priority", "high", "--starts", "2026-05-01", "--due", "2026-05-02", "--json"],
    ),
    { ...all, ...github },
  );
  assert.equal(exitCode, 0, stderr);
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(Object.keys(printed), ["id", "url", "occurrence", "replayed", "idempotencyKey"]);
  const ticket = await read(String(printed.url));
  assert.deepEqual(
    [ticket.column.id, ticket.assignee, ticket.agentRepositoryId, ticket.priority, ticket.startsAt, ticket.dueAt],
    [
      acme.web.later.chosenId,
      { id: acme.agentUserId, name: "Agent", kind: "agent" },
      acme.web.repositoryId,
      "high",
      "2026-05-01",
      "2026-05-02",
    ],
  );
  const byId = await runLodge(
    create("--title", "by id", "--column", acme.web.inbox.doingId, "--project", "Web", "--assignee", "Ada"),
    {
      ...all,
      ...github,
    },
  );
  const { column, assignee } = await read(byId.stdout);
  assert.deepEqual(
    [column.id, assignee],
    [acme.web.inbox.doingId, { id: acme.memberUserId, name: "Ada", kind: "person" }],
  );
});

test("an unknown name is wrong usage, and the message lists the known names", async () => {
  const { env, all, blind } = await start();
  const failing = async (environment: Record<string, string>, ...args: string[]) => {
    const { exitCode, stderr, stdout } = await runLodge(create("--title", "t", ...args), environment);
    assert.equal(stdout, "");
    return `${exitCode} ${stderr}`;
  };
  assert.match(
    await failing(env, "--board", "Nowhere"),
    /^2 [\s\S]*There is no board called "Nowhere". Choose one of: Inbox, Later/,
  );
  assert.match(await failing(env, "--project", "mobile"), /There is no project called "mobile". Choose one of: web/);
  assert.match(
    await failing(all, "--board", "Inbox"),
    /^2 [\s\S]*several projects\. Choose one with --project: web, mobile/,
  );
  assert.match(await failing(blind, "--board", "Inbox"), /^1 [\s\S]*insufficient_scope: .*projects:read/);
});

test("a re-run files nothing new, each matrix job files a ticket, and outside of CI a warning is printed", async () => {
  const { env, count } = await start();
  for (let attempt = 1; attempt <= 2; attempt++) {
    const again = { ...env, ...github, GITHUB_RUN_ATTEMPT: `${attempt}` };
    const legs = await Promise.all(
      ["linux", "macos", "windows"].map((os) => runLodge(create("--title", `Red on ${os}`), again)),
    );
    assert.deepEqual(
      legs.map(({ exitCode }) => exitCode),
      [0, 0, 0],
    );
    for (const { stderr } of legs) assert.equal(/filed before/.test(stderr), attempt === 2);
  }
  assert.equal(await count(), 3);
  const { exitCode, stderr } = await runLodge(create("--title", "t"), env);
  assert.equal(exitCode, 0);
  assert.match(stderr, /No CI service was recognised/);
});

test("a key that was used for different content exits with 4 and says that nothing was filed", async () => {
  const { env, count } = await start();
  const filed = await runLodge(create("--title", "t", "--key", "k", "--json"), env);
  const other = await runLodge(create("--title", "another", "--key", "k", "--json"), env);
  assert.deepEqual([filed.exitCode, other.exitCode], [0, 4]);
  assert.match(other.stderr, /different content/);
  const { replayed, idempotencyKey, url } = JSON.parse(other.stdout);
  assert.deepEqual([replayed, idempotencyKey, url], [true, "k", JSON.parse(filed.stdout).url]);
  assert.equal(await count(), 1);
});

test("occurrences of a problem share one ticket until it is resolved", async () => {
  const { env, count } = await start();
  const tell = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await runLodge(
      create("--title", "t", "--problem", "backup", "--json", ...args),
      env,
    );
    assert.equal(exitCode, 0, stderr);
    return { ...(JSON.parse(stdout) as { id: string | null; occurrence: number | null }), stderr };
  };
  const first = await tell();
  const second = await tell();
  assert.deepEqual([first.occurrence, second.occurrence, second.id], [1, 2, first.id]);
  assert.match(second.stderr, /Occurrence 2 of an open ticket/);
  assert.equal((await tell("--resolved")).id, first.id);
  const none = await tell("--resolved");
  assert.deepEqual([none.id, /no open ticket/.test(none.stderr)], [null, true]);
  assert.notEqual((await tell()).id, first.id);
  assert.equal(await count(), 2);
});

test("the attempts of one run can file a problem, resolve it and file it again", async () => {
  const { env } = await start();
  const tell = async (run: string, attempt: number, isRed: boolean) => {
    const job = { ...env, ...github, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: `${attempt}` };
    const args = create("--title", "t", "--problem", `of ${run}`, "--json", ...(isRed ? [] : ["--resolved"]));
    const { stdout, stderr, exitCode } = await runLodge(args, job);
    assert.equal(exitCode, 0, stderr);
    return (JSON.parse(stdout) as { id: string | null }).id;
  };
  const [red, green, redAgain] = [await tell("7", 1, true), await tell("7", 2, false), await tell("7", 3, true)];
  assert.equal(green, red);
  assert.notEqual(redAgain, red);
  const [nothing, filed, resolved] = [await tell("8", 1, false), await tell("8", 2, true), await tell("8", 3, false)];
  assert.equal(nothing, null);
  assert.ok(filed);
  assert.equal(resolved, filed);
});

test("a description can come from a file or stdin; colours and the middle of a long one are removed", async () => {
  const { env, read } = await start();
  const log = join(folder, "build.log");
  await writeFile(log, `\u001b[32mcompiling\u001b[0m\n${"x".repeat(50_000)}\nerror: it broke\n`);
  const fromFile = await runLodge(create("--title", "t", "--description-file", log), env);
  assert.match(fromFile.stderr, /3\d,?\d{3} characters in the middle were left out/);
  const long = String((await read(fromFile.stdout)).description);
  assert.ok(long.startsWith("compiling\nx") && long.endsWith("error: it broke\n"));
  const piped = await runLodge(create("--title", "t", "--description-file", "-"), env, "from a pipe");
  assert.equal((await read(piped.stdout)).description, "from a pipe");
  const missing = await runLodge(create("--title", "t", "--description-file", "/nowhere"), env);
  assert.equal(missing.exitCode, 2);
});

test("with --fail-never an unreadable log still files a ticket, whose description says why", async () => {
  const { env, read } = await start();
  for (const [file, why] of [
    [join(folder, "never-begun.log"), /never-begun\.log could not be read: ENOENT/],
    [folder, /could not be read: it is a directory/],
  ] as const) {
    const filed = await runLodge(create("--title", "t", "--fail-never", "--description-file", file), env);
    assert.match(filed.stderr, why);
    assert.match(String((await read(filed.stdout)).description), why);
  }
});

test("a dry run looks up names and sends nothing", async () => {
  const { env, acme, count } = await start();
  const { exitCode, stdout } = await runLodge(create("--title", "t", "--board", "Later", "--dry-run"), {
    ...env,
    ...github,
  });
  const { dryRun, body, idempotencyKey } = JSON.parse(stdout);
  assert.deepEqual(
    [exitCode, dryRun, body],
    [
      0,
      true,
      {
        title: "t",
        description: "Run: https://github.com/acme/web/actions/runs/1658821493",
        projectId: acme.web.id,
        boardId: acme.web.later.id,
      },
    ],
  );
  assert.match(idempotencyKey, /^lodge-[0-9a-f]{64}$/);
  assert.equal(await count(), 0);
});

test("a refusal exits with 1, wrong usage with 2, both with 0 under --fail-never, and all print why", async () => {
  const { env, blind } = await start();
  const cases: [args: string[], env: Record<string, string>, exitCode: number, said: RegExp][] = [
    [
      create("--title", "t"),
      { ...env, LODGE_TOKEN: "ldg_nonsense" },
      1,
      /invalid_api_token.*\n.*docs\/errors#invalid_api_token/,
    ],
    [create("--title", "t", "--starts", "2026-05-02", "--due", "2026-05-01"), blind, 1, /invalid_date_range/],
    [create("--title", "t", "--starts", "tomorrow"), blind, 1, /invalid_input[\s\S]*\/startsAt: /],
    [create("--title", "t"), { LODGE_URL: lodge.url }, 2, /LODGE_TOKEN/],
    [create("--title", "t"), { ...env, LODGE_URL: "nowhere" }, 2, /LODGE_URL/],
    [create("--title", "t"), { ...env, LODGE_TOKEN: "ldgpub_x" }, 2, /SDK key/],
    [create("--title", " "), env, 2, /--title/],
    [create(), env, 2, /--title/],
    [create("--title", "t", "--priority", "urgent"), env, 2, /Allowed choices/],
    [create("--title", "t", "--resolved"), env, 2, /--problem/],
    [create("--title", "t", "--key", "\u2713"), env, 2, /^--key has a character that a header cannot contain/],
    [["report", "send", "--title", "t"], { ...env, LODGE_KEY: "\u201cldgpub_x\u201d" }, 2, /^LODGE_KEY is not a key/],
    [["tickets"], env, 2, /unknown command/],
  ];
  for (const [args, environment, exitCode, said] of cases) {
    const ended = await runLodge(args, environment);
    assert.deepEqual([ended.exitCode, ended.stdout], [exitCode, ""], args.join(" "));
    assert.match(ended.stderr, said, args.join(" "));
    if (args.length < 2) continue;
    const never = await runLodge([...args, "--fail-never"], environment);
    assert.deepEqual([never.exitCode, never.stdout], [0, ""], args.join(" "));
    assert.match(never.stderr, /The exit code would be/, args.join(" "));
  }
});

test("a server that keeps failing exits with 3 after five tries, all with the same idempotency key", async () => {
  const keys = new Set<unknown>();
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    keys.add(request.headers["idempotency-key"]);
    response.writeHead(503, { "retry-after": "0" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const env = { LODGE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, LODGE_TOKEN: "ldg_x" };
    const { exitCode, stderr } = await runLodge(create("--title", "t"), env);
    assert.deepEqual([exitCode, asked, keys.size], [3, 5, 1], stderr);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("every command reports a successful response that is not JSON as coming from another server", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<h1>Sign in</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { LODGE_URL: url, LODGE_TOKEN: "ldg_x", HOME: folder };
    const commands: [args: string[], path: string][] = [
      [create("--title", "t", "--key", "k"), "/api/v1/tickets"],
      [create("--title", "t", "--project", "web", "--key", "k"), "/api/v1/projects"],
      [["token", "check"], "/api/v1/token"],
      [["report", "send", "--title", "t"], "/api/ingest"],
      [["config"], "/api/config"],
      [["sourcemaps", "upload", maps, "--app", "ios"], "/api/v1/apps/ios/source-maps"],
      [["events", "forward", "--to", "http://127.0.0.1:9/hook"], "/api/v1/events?after=latest&wait=0"],
    ];
    for (const [args, path] of commands) {
      const key = args[0] === "report" || args[0] === "config" ? { LODGE_KEY: "ldgpub_x" } : {};
      const { exitCode, stdout, stderr } = await runLodge(args, { ...env, ...key });
      const said = stderr.split("\n").filter((line) => line.includes("LODGE_URL"));
      assert.deepEqual([exitCode, stdout], [3, ""], stderr);
      assert.deepEqual(said, [
        `${url}${path} answered with text/html instead of JSON. Check that LODGE_URL is the address of Lodge and that no proxy asks for a sign-in.`,
      ]);
      assert.doesNotMatch(stderr, / {4}at /);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("a fork's job without the token exits with 0 and prints one line", async () => {
  const event = join(folder, "event.json");
  await writeFile(event, JSON.stringify({ pull_request: { head: { repo: { full_name: "mallory/web" } } } }));
  const fork = { ...github, LODGE_URL: lodge.url, LODGE_TOKEN: "", GITHUB_EVENT_PATH: event };
  const { exitCode, stdout, stderr } = await runLodge(create("--title", "t"), fork);
  assert.deepEqual([exitCode, stdout], [0, ""]);
  assert.match(stderr, /^No ticket was filed: GitHub Actions gives no secrets to jobs of forks.*\n$/);
});

test("the placeholder of Azure Pipelines for an undefined variable is not taken for a token or key", async () => {
  const azure = { ...ciEnvironments["Azure Pipelines"]?.env, LODGE_URL: lodge.url, LODGE_TOKEN: "$(LODGE_TOKEN)" };
  for (const args of [create("--title", "t"), ["token", "check"]]) {
    const { exitCode, stderr } = await runLodge(args, azure);
    assert.deepEqual([exitCode, stderr], [2, "LODGE_TOKEN holds $(LODGE_TOKEN): the variable is not defined.\n"]);
  }
  const fork = await runLodge(create("--title", "t"), { ...azure, SYSTEM_PULLREQUEST_ISFORK: "True" });
  assert.equal(fork.exitCode, 0);
  assert.match(fork.stderr, /^No ticket was filed: Azure Pipelines gives no secrets to jobs of forks.*\n$/);
  const report = await runLodge(["report", "send", "--title", "t"], { ...azure, LODGE_KEY: "$(lodge.key)" });
  assert.deepEqual([report.exitCode, /LODGE_KEY holds \$\(lodge\.key\):/.test(report.stderr)], [2, true]);
});

test("the token can come from a file, and no output contains it", async () => {
  const { env } = await start();
  const file = join(folder, "token");
  await writeFile(file, `${env.LODGE_TOKEN}\n`);
  const outputs = await Promise.all([
    runLodge([...create("--title", "t"), "--verbose"], { LODGE_URL: lodge.url, LODGE_TOKEN_FILE: file }),
    runLodge(["token", "check", "--verbose"], env),
    runLodge([...create("--title", "t", "--dry-run", "--description", env.LODGE_TOKEN), "--verbose"], env),
    runLodge(create("--title", "t"), { ...env, LODGE_URL: `${lodge.url}/${env.LODGE_TOKEN}` }),
  ]);
  assert.deepEqual(
    outputs.map(({ exitCode }) => exitCode),
    [0, 0, 0, 1],
  );
  for (const { stdout, stderr } of outputs) assert.ok(!`${stdout}${stderr}`.includes(env.LODGE_TOKEN));
  assert.match(outputs[0]?.stderr ?? "", /POST .*\/api\/v1\/tickets: 201/);
  const empty = await runLodge(create("--title", "t"), { LODGE_URL: lodge.url, LODGE_TOKEN_FILE: "/dev/null" });
  assert.equal(empty.exitCode, 2);
  assert.match(empty.stderr, /LODGE_TOKEN_FILE names \/dev\/null, which is empty\./);
});

test("token check prints the token's name, projects and permissions", async () => {
  const { env, blind } = await start();
  const { stdout } = await runLodge(["token", "check"], env);
  assert.match(stdout, /Token +Web only\nServer +http.*\nPermissions +tickets:write, projects:read\nProjects +web\n/);
  const json = JSON.parse((await runLodge(["token", "check", "--json"], blind)).stdout);
  assert.deepEqual([json.name, json.permissions], ["Web CI", ["tickets:write"]]);
});

test("a refusal names the permission that the token lacks", async () => {
  const { env } = await start();
  const forwarding = ["events", "forward", "--to", "http://127.0.0.1:9/hook"];
  const home = { HOME: folder };
  for (const [args, permission] of [
    [["sourcemaps", "upload", maps, "--app", "ios"], "sourcemaps:write"],
    [forwarding, "events:read"],
  ] as const) {
    const { exitCode, stderr } = await runLodge([...args], { ...env, ...home });
    assert.equal(exitCode, 1, stderr);
    assert.ok(stderr.includes(`Refused: insufficient_scope. The token lacks the permission ${permission}.`), stderr);
  }
});

test("report send stores a report with its files once per id, and config prints the configuration", async () => {
  const { apps } = await lodge.apply({
    organisation: { name: "Reports", slug: "reports" },
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  const env = { LODGE_URL: lodge.url, LODGE_KEY: apps[0]?.keys[0]?.key ?? "" };
  const log = join(folder, "app.log");
  await writeFile(log, "log");
  const args = [
    "report",
    "send",
    "--title",
    "Cart is empty",
    "--kind",
    "bug",
    "--attach",
    log,
    "--report-id",
    "1",
    "--json",
  ];
  const sent = await runLodge(args, env);
  assert.equal(sent.exitCode, 0, sent.stderr);
  const first = JSON.parse(sent.stdout);
  assert.deepEqual([first.deliveryCount, first.idempotent], [0, false]);
  const again = JSON.parse((await runLodge(args, env)).stdout);
  assert.deepEqual([again.eventId, again.idempotent], [first.eventId, true]);
  const stored = await lodge.deps.db
    .selectFrom("artifacts")
    .select(["filename", "byte_length"])
    .where("event_id", "=", first.eventId)
    .execute();
  assert.deepEqual(stored, [{ filename: "app.log", byte_length: 3 }]);
  const config = JSON.parse((await runLodge(["config"], env)).stdout);
  assert.equal(config.limits.attachments, 5);
  const empty = await runLodge(["report", "send"], env);
  assert.deepEqual([empty.exitCode, empty.stderr], [2, "Give --title, --message or --attach.\n"]);
  const refused = await runLodge(["report", "send", "--title", "t"], { ...env, LODGE_KEY: "ldgpub_nonsense" });
  assert.deepEqual([refused.exitCode, /invalid_sdk_key/.test(refused.stderr)], [1, true]);
});

test("the message about a wrong command line does not contain its values", async () => {
  const secret = "ldg_9f8e7d6c5b4a";
  for (const args of [
    [`--token=${secret}`],
    ["ticket", "create", "--title", "t", `--token=${secret}`],
    ["ticket", "create", "--title", "t", `--token=it's\n${secret}`],
    ["ticket", "create", "--title", "t", `-t${secret}`],
    ["ticket", "create", "--title", "t", "--priority", secret],
    ["ticket", "create", "--title", "t", secret, `it's. ${secret}`],
    ["token", "check", "--token", secret],
    ["token", secret],
    [secret],
  ]) {
    const { exitCode, stdout, stderr } = await runLodge(args);
    assert.deepEqual([exitCode, stdout], [2, ""], args.join(" "));
    assert.match(stderr, /^error: (?:unknown|too many|option)/, args.join(" "));
    assert.ok(!stderr.includes(secret), stderr);
  }
  assert.match(
    (await runLodge(["ticket", "create", "--title", "t", "--labl=x"])).stderr,
    /unknown option '--labl'\n\(Did you mean --label\?\)/,
  );
  assert.match((await runLodge(["tickets"])).stderr, /unknown command 'tickets'/);
});

test("help, version and completion are printed without a server", async () => {
  const help = await runLodge(["ticket", "create", "--help"]);
  assert.equal(help.exitCode, 0);
  for (const option of ["--problem", "--resolved", "--fail-never", "--key-part", "Examples:"])
    assert.ok(help.stdout.includes(option));
  assert.match((await runLodge(["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { exitCode, stdout } = await runLodge(["completion", shell]);
    assert.deepEqual([exitCode, stdout.includes("fail-never")], [0, true], shell);
  }
});
