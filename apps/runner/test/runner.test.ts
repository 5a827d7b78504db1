import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { getRun, listRuns, readRunLog } from "@lodge/contract/dashboard/runs";
import { signedIn } from "../../server/src/testing/dashboard-client.ts";
import { freePort } from "../../server/src/testing/free-port.ts";
import { loseRuns } from "../../server/src/testing/lose-runs.ts";
import { makeOrganisation } from "../../server/src/testing/make-organisation.ts";
import { movableClock } from "../../server/src/testing/movable-clock.ts";
import { makeHome } from "../../server/src/testing/run-lodged.ts";
import { slowTest } from "../../server/src/testing/slow-test.ts";
import { startGitHost } from "../../server/src/testing/start-git-host.ts";
import { runCommand } from "../../server/src/testing/start-process.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { until } from "../../server/src/testing/until.ts";
import { bundleRunner } from "../bundle.ts";
import { checkSettings } from "../src/check-settings.ts";
import { parseNetwork } from "../src/public-address.ts";
import { runAgentRunner } from "../src/run-agent-runner.ts";
import { hostOf, type RunnerSettings } from "../src/runner-settings.ts";
import { architectures } from "../src/system-calls.ts";

const clock = movableClock();
const folder = await mkdtemp(join(tmpdir(), "lodge-runs-"));
const webAppDir = join(folder, "web");
await bundleRunner(join(webAppDir, "lodge-runner.mjs"));
const lodge = await startService({}, { clock, webAppDir });
after(async () => {
  await lodge[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const run = promisify(execFile);
const pushToken = "push-token-of-the-forge-1234";
const env = { PATH: process.env.PATH, HOME: folder, FORGE_TOKEN: pushToken, MODEL_KEY: "model-key-5678" };
let workshops = 0;

/** A bare repository with a commit, an organisation whose project uses it, and a way to run a command on a ticket. */
async function workshop() {
  const place = join(folder, `${workshops++}`);
  const bare = join(place, "web.git");
  const seed = join(place, "seed");
  const git = async (...parameters: string[]) => {
    const settings = ["-c", "user.name=Ada", "-c", "user.email=ada@acme.test", "-c", "init.defaultBranch=main"];
    return (await run("git", [...settings, ...parameters])).stdout;
  };
  await mkdir(join(seed, "src"), { recursive: true });
  await git("init", "--quiet", "--bare", bare);
  await git("init", "--quiet", seed);
  await writeFile(join(seed, ".gitignore"), "*.log\nnode_modules/\n!keep.log\n");
  await writeFile(join(seed, "old.txt"), "old\n");
  await writeFile(join(seed, "src/main.txt"), "main\n");
  await git("-C", seed, "add", "--all");
  await git("-C", seed, "commit", "--quiet", "--message", "Begin");
  await git("-C", seed, "push", "--quiet", bare, "HEAD:main");

  const acme = await makeOrganisation(lodge);
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    projects: [
      {
        name: "Web",
        slug: "web",
        repositories: [{ name: "web", url: `file://${bare}`, credentialsEnv: "FORGE_TOKEN" }],
      },
    ],
    runners: [{ name: "builder" }],
  });
  const token = made.runners[0]?.secret ?? "";
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const workDir = join(place, "work");
  const settings = (command: string, changed: Partial<RunnerSettings> = {}): RunnerSettings => ({
    url: lodge.url,
    token,
    agent: { command },
    concurrency: 1,
    isSandboxed: true,
    allowsFiles: true,
    allowedHosts: [],
    networks: [],
    forges: new Map(),
    opensDrafts: false,
    gitTokens: [],
    readable: [],
    passedNames: ["MODEL_KEY"],
    limits: { timeoutMs: 120_000, memoryBytesMax: 1_073_741_824, processesMax: 200 },
    workDir,
    isOnce: true,
    ...changed,
  });
  const file = async (fields: object = {}) => {
    const { body } = await lodge.fileTicket(acme.tokens.web, {
      title: "t",
      assigneeUserId: acme.agentUserId,
      ...fields,
    });
    return body.id as string;
  };
  const latest = async () => {
    const [shown] = (await ada.call(listRuns, { query: {} })).runs;
    assert.ok(shown);
    return shown;
  };
  const logOf = async (runId: string) => {
    const { entries } = await ada.call(readRunLog, { params: { runId }, query: {} });
    return entries;
  };
  const never = new AbortController();
  const start = (command: string, changed?: Partial<RunnerSettings>, stop = never.signal, more: object = {}) =>
    runAgentRunner(settings(command, changed), { ...env, ...more }, () => {}, stop);
  /** Changes the address of the project's repository, without the server's validation. */
  const bind = (fields: { url: string; credentials_env?: string | null }) =>
    lodge.deps.db.updateTable("repositories").set(fields).where("organisation_id", "=", acme.id).execute();
  /** Files a ticket, runs the command on it, and returns the result. */
  const solve = async (command: string, changed: Partial<RunnerSettings> = {}, fields: object = {}) => {
    const ticketId = await file(fields);
    await start(command, changed);
    const shown = await latest();
    const log = await logOf(shown.id);
    assert.deepEqual(await readdir(workDir), [], "the run leaves nothing in the work directory");
    return {
      ...shown,
      ticketId,
      log,
      output: log.map(({ kind, text }) => (kind === "output" ? text : `${text}\n`)).join(""),
    };
  };
  const show = (ref: string) => git("-C", bare, "show", ref);
  const files = async (ref: string) => (await git("-C", bare, "ls-tree", "-r", "--name-only", ref)).trim().split("\n");
  return {
    acme,
    ada,
    bind,
    bare,
    place,
    workDir,
    token,
    git,
    settings,
    file,
    latest,
    logOf,
    start,
    solve,
    show,
    files,
  };
}

test("a run pushes a branch with the command's changes, except for ignored files", async () => {
  const { solve, show, files, git, bare } = await workshop();
  const command = `set -e
    env | sort; id -u; cat "$LODGE_TICKET_FILE"
    git status --short
    printf 'a\\000b' > 'new "file"\u00e9.bin'; echo changed >> src/main.txt; rm old.txt; chmod +x src/main.txt
    mkdir -p node_modules/x logs; echo no > node_modules/x/y; echo no > a.log; echo yes > logs/keep.log; ln -s main.txt src/link`;
  const { state, branch, commit, ticketId, output, log } = await solve(
    command,
    {},
    { title: "Crash \u202eno", description: "On start." },
  );
  assert.equal(state, "succeeded", output);
  assert.equal(branch, `lodge/${ticketId}`);
  assert.equal((await git("-C", bare, "rev-parse", `lodge/${ticketId}`)).trim(), commit);
  assert.deepEqual(await files(branch), [
    ".gitignore",
    "logs/keep.log",
    '"new \\"file\\"\\303\\251.bin"',
    "src/link",
    "src/main.txt",
  ]);
  assert.equal(await show(`${branch}:src/main.txt`), "main\nchanged\n");
  const message = await git("-C", bare, "log", "-1", "--format=%an <%ae>%n%B", branch);
  assert.match(
    message,
    new RegExp(
      `^Lodge agent <agent@lodge.invalid>\\nCrash .*no\\n\\n${lodge.url}/tickets/${ticketId}\\n\\nLodge-Run: `,
    ),
  );
  assert.match(await git("-C", bare, "ls-tree", branch, "src/"), /^100755 blob .*src\/main.txt$/m);
  assert.match(output, /# Crash <U\+202E>no\n\nOn start\.\n\nTicket: http/);
  const names = output.split("\n").flatMap((line) => /^(LODGE_\w+)=/.exec(line)?.[1] ?? []);
  assert.deepEqual(names.sort(), ["LODGE_RUN_ID", "LODGE_TICKET_FILE", "LODGE_TICKET_ID", "LODGE_TICKET_URL"]);
  assert.match(output, /^MODEL_KEY=\[secret\]$/m);
  assert.match(output, /^1000$/m);
  assert.ok(!output.includes(pushToken));
  assert.deepEqual(log[0]?.text, "A runner took the run to work on web.");
});

test("file names with a special meaning to git are imported or ignored like others", async () => {
  const { solve, files } = await workshop();
  const command =
    "mkdir : ; for name in ':!a' ':^b' ':(glob)**' ':/c' '-d' '*' 'e '; do echo > \"./$name.txt\"; echo > \"./$name.log\"; done";
  const { branch, output } = await solve(command);
  const added = (await files(branch ?? output)).filter(
    (path) => !/^(?:\.gitignore|old\.txt|src\/main\.txt)$/.test(path),
  );
  assert.deepEqual(added.sort(), ["*.txt", "-d.txt", ":!a.txt", ":(glob)**.txt", ":/c.txt", ":^b.txt", "e .txt"]);
});

test("the result distinguishes a command that changes nothing, fails, hangs or exceeds a limit", async () => {
  const { solve } = await workshop();
  const limits = { timeoutMs: 1_200_000, memoryBytesMax: 268_435_456, processesMax: 200 };
  const cases: [string, string, string | null, Partial<RunnerSettings>?][] = [
    ["true", "no_change", null],
    ["echo x > a.txt; exit 3", "failed", "command_failed"],
    ["sleep 1000", "failed", "timed_out", { limits: { ...limits, timeoutMs: 300 } }],
    ["while :; do sleep 1000 & done", "failed", "command_failed", { limits: { ...limits, processesMax: 40 } }],
    [
      "/lodge/node -e 'setInterval(() => {}, 1e6); globalThis.x = Buffer.alloc(5e8, 1)'",
      "failed",
      "command_failed",
      { limits },
    ],
    ["mkfifo .gitignore.d; rm .gitignore; mkfifo .gitignore", "failed", "tree_refused"],
  ];
  for (const [command, state, reason, changed] of cases) {
    const ended = await solve(command, changed);
    assert.deepEqual([ended.state, ended.reason], [state, reason], `${command}: ${ended.output}`);
  }
});

test("files planted in the clone never run outside the sandbox or give access to outside files", async () => {
  const { solve, place, files } = await workshop();
  const outside = join(place, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), "secret of the host\n");
  const command = `
    trap='#!/bin/sh
touch ${outside}/ran'
    mkdir -p .git/hooks hooks
    for hook in pre-commit post-commit post-checkout pre-push reference-transaction post-index-change fsmonitor-watchman; do
      printf '%s' "$trap" > .git/hooks/$hook; printf '%s' "$trap" > hooks/$hook; chmod +x .git/hooks/$hook hooks/$hook; done
    git config core.hooksPath hooks; git config core.fsmonitor hooks/fsmonitor-watchman; git config diff.external hooks/pre-commit
    git config filter.evil.clean hooks/pre-commit; git config filter.evil.process hooks/pre-commit; git config core.sshCommand hooks/pre-commit
    git config core.worktree ${outside}; echo '* filter=evil diff=evil' > .gitattributes
    printf '[submodule "s"]\\n\\tpath = s\\n\\turl = ext::sh -c touch% ${outside}/ran\\n' > .gitmodules
    git init --quiet sub; git -C sub config core.fsmonitor ../hooks/fsmonitor-watchman; echo in > sub/in.txt
    ln -s ${outside}/secret.txt out; ln -s ../../../../../etc/passwd up; ln -s ${outside} src/dir; cp -r .git renamed; mv .git was.git
    ln -s .git/hooks/pre-commit into; ln -s ../.git/config src/into; mkdir .GIT git~1; echo x > .GIT/x; echo x > git~1/x
    mkdir -p a/b; ln -s ../../old.txt a/b/old; ln -s ../.. a/b/top; ln -s a/b/top/../../etc/passwd chained
    rm -r src; ln -s ${outside} src`;
  const { state, branch, output } = await solve(command);
  assert.equal(state, "succeeded", output);
  assert.deepEqual(await readdir(outside), ["secret.txt"]);
  assert.deepEqual(
    (await files(branch ?? "")).filter((path) => !path.startsWith("hooks/")),
    [".gitattributes", ".gitignore", ".gitmodules", "a/b/old", "a/b/top", "old.txt", "sub/in.txt"],
  );
  for (const left of ["out", "up", "chained", "src", "renamed", "was.git", "sub/.git", "into", ".GIT", "git~1"])
    assert.match(output, new RegExp(`Left out ${left}: `));
});

test("the sandbox has no access to the runner's files, processes, network or push token", async () => {
  const { solve, place } = await workshop();
  await writeFile(join(place, "host.txt"), "x");
  const { output } = await solve(`
    cat ${join(place, "host.txt")} ; ls -a /root /home ${folder} ${process.cwd()}; cat /etc/shadow
    ls /proc | grep -c '^[0-9]'; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'
    touch /usr/x /etc/x /dev/x; echo x > /dev/shm/x; echo x > /dev/null; echo x > /tmp/x; cat /proc/net/route | wc -l; unshare --user true || echo no more namespaces`);
  assert.ok(!output.includes(pushToken));
  assert.equal(output.match(/No such file or directory/g)?.length, 5, output);
  assert.equal(output.match(/Read-only file system/g)?.length, 3, output);
  assert.match(output, /no more namespaces/);
  assert.ok(Number(/^(\d+)$/m.exec(output)?.[1]) < 10, "the command sees only its own processes");
});

test("the command can connect to allowed hosts through the proxy; other hosts are refused and logged", async () => {
  const { solve } = await workshop();
  const server = createServer((request, response) => response.end(`hello ${request.url}`)).listen(0, "127.0.0.1");
  await until(() => server.listening);
  const { port } = server.address() as AddressInfo;
  const ask = (target: string) => `/lodge/node -e '
    const socket = require("net").connect(3128, "127.0.0.1", () => socket.write("${target}"));
    let text = "";
    socket.on("data", (data) => {
      text += data;
      if (!text.includes("\\r\\n\\r\\n") || (text.includes("200 OK") && !text.includes("hello /a"))) return;
      console.log(text.split("\\r\\n")[0], text.split("\\r\\n").at(-1));
      process.exit();
    });
    socket.on("end", () => process.exit())'`;
  try {
    const { log, output } = await solve(
      [
        ask(`GET http://127.0.0.1:${port}/a HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n`),
        ask(`CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n`),
        ask("CONNECT 169.254.169.254:80 HTTP/1.1\\r\\n\\r\\n"),
        ask("GET http://other.example/ HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n"),
      ].join("\n"),
      { allowedHosts: [`127.0.0.1:${port}`] },
    );
    assert.match(output, /HTTP\/1.1 200 OK hello \/a/);
    assert.match(output, /HTTP\/1.1 200 Connection established/);
    assert.equal(output.match(/HTTP\/1.1 403/g)?.length, 2);
    assert.deepEqual(
      log.filter(({ kind }) => kind === "refused").map(({ text }) => text),
      ["169.254.169.254:80", "other.example:80"],
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

/** The length of the output. 1 GB takes half a minute. */
const outputBytes = Number(process.env.LODGE_TEST_OUTPUT_BYTES ?? 12_000_000);

test("the log keeps the start and end of very long output, and counts the bytes in between", async () => {
  const { solve } = await workshop();
  const { log, output, state } = await solve(
    `echo first; head -c ${outputBytes} /dev/zero | tr '\\0' x; echo; echo last`,
  );
  assert.equal(state, "no_change");
  assert.ok(output.length < 1_600_000, `${output.length}`);
  const left = log.findIndex(({ text }) => /^… [\d,]+ bytes were left out here …$/.test(text));
  assert.ok(left > 0, log.map(({ kind }) => kind).join(" "));
  const leftOut = Number(log[left]?.text.replaceAll(/\D/g, ""));
  assert.ok(leftOut > outputBytes - 1_600_000 && leftOut < outputBytes, `${leftOut}`);
  assert.match(output, /^first$/m);
  assert.match(output, /^last$/m);
});

/** A sleep duration that identifies the test's processes, which should only end with their run. */
const mark = (index: number) => `31337${process.pid}.${index}`;
const alive = async (slept: string) => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.some((line) => line.includes(`sleep\0${slept}`));
};

test("the command asks a question on the ticket, and continues with the first answer", async () => {
  const { file, start, latest, ada, files } = await workshop();
  const ticketId = await file();
  const working = start('lodge-ask "Which one?" > answer.txt && test "$(lodge-ask)" = ""');
  await until(async () => (await latest()).state === "awaiting_input");
  assert.equal((await latest()).question, "Which one?");
  await ada("POST", `/tickets/${ticketId}/comments`, { text: "The left one." });
  await working;
  const { state, branch } = await latest();
  assert.equal(state, "succeeded");
  assert.ok((await files(branch ?? "")).includes("answer.txt"));
});

test("an agent that speaks the Agent Client Protocol solves a ticket", async () => {
  const { solve, show } = await workshop();
  const agent = `cat > /tmp/agent.mjs << 'END'
    import { createInterface } from "node:readline";
    import { writeFileSync } from "node:fs";
    const tell = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") tell({ id, result: { protocolVersion: params.protocolVersion } });
      if (method === "session/new") tell({ id, result: { sessionId: params.cwd } });
      if (method !== "session/prompt") continue;
      writeFileSync("prompt.md", params.prompt[0].text);
      console.error("no step");
      tell({ method: "session/update", params: { update: { sessionUpdate: "agent_message_chunk", content: { text: "Done." } } } });
      tell({ id, result: { stopReason: "end_turn" } });
    }
    setInterval(() => {}, 1e6);
END
    exec /lodge/node /tmp/agent.mjs`;
  const { state, summary, branch, log, output } = await solve(
    "",
    { agent: { command: agent, speaksAcp: true } },
    { title: "Crash" },
  );
  assert.deepEqual([state, summary], ["succeeded", "Done."], output);
  assert.match(await show(`${branch}:prompt.md`), /^# Crash\n/);
  assert.ok(log.some(({ kind, text }) => kind === "said" && text === "Done."));
  assert.ok(log.some(({ kind, text }) => kind === "output" && text === "no step\n"));
});

test("an agent's result arrives even with an invalid cost and last message", async () => {
  const { solve } = await workshop();
  const last = `\0${"\u{1f600}".repeat(5_000)}model-key-5678`;
  const agent = `/lodge/node -e '
    const tell = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const told = (update) => tell({ method: "session/update", params: { update } });
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method !== "session/prompt") return tell({ id, result: { protocolVersion: 1 } });
      require("node:fs").writeFileSync("done.txt", "");
      told({ sessionUpdate: "agent_message_chunk", content: { text: ${JSON.stringify(last)} } });
      told({ sessionUpdate: "usage_update", cost: { amount: 1e300, currency: "USD" } });
      tell({ id, result: { stopReason: "end_turn", usage: { inputTokens: -1, outputTokens: 1.5 } } });
    })'`;
  const shown = await solve("", { agent: { command: agent, speaksAcp: true } });
  assert.equal(shown.state, "succeeded");
  assert.ok(shown.summary === `${"\u{1f600}".repeat(5_000)}[secret]`);
  assert.deepEqual([shown.costMicroUsd, shown.inputTokens, shown.outputTokens], [1e15, 0, 2]);
});

/** A proxy to the server that can drop requests. */
async function openWay() {
  let isLost: (path: string) => boolean = () => false;
  const server = createServer((request, response) => {
    if (isLost(request.url ?? "")) return void request.socket.destroy();
    const { method, headers } = request;
    const onward = httpRequest(`${lodge.url}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  }).listen(0, "127.0.0.1");
  await until(() => server.listening);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose: (which: typeof isLost) => {
      isLost = which;
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("a run's result survives a server outage and a restart of the runner, and arrives once", async () => {
  const { file, start, latest, logOf, workDir, show } = await workshop();
  using way = await openWay();
  await file();
  const stop = new AbortController();
  const command = "echo begin; while ! test -e go; do sleep 0.05; done; rm go; seq 500; echo x > x.txt";
  const working = start(command, { url: way.url }, stop.signal);
  await until(async () => (await logOf((await latest()).id)).some(({ text }) => text.includes("begin")));
  way.lose((path) => /log|finish/.test(path));
  const [mine = ""] = (await readdir(workDir)).filter((name) => name.startsWith("runner-"));
  const [its = ""] = await readdir(join(workDir, mine));
  await writeFile(join(workDir, mine, its, "tree/go"), "");
  const kept = async () => (await readdir(workDir)).filter((name) => name.startsWith("kept-"));
  await until(async () => (await kept()).length > 0);
  way.lose(() => true);
  clock.move(600_000);
  stop.abort();
  await working;
  assert.deepEqual([(await latest()).state, (await readdir(workDir)).length], ["running", 1]);

  await start("exit 1");
  const { id, state, branch, logLength } = await latest();
  assert.equal(state, "succeeded");
  assert.equal(await show(`${branch}:x.txt`), "x\n");
  const log = await logOf(id);
  assert.equal(log.length, logLength);
  const lines = log.map(({ text }) => text).join("");
  assert.deepEqual(
    lines.match(/^\d+$/gm),
    Array.from({ length: 500 }, (_, index) => `${index + 1}`),
  );
  assert.deepEqual(await readdir(workDir), []);
});

test("without a sandbox, the end of a run also ends all processes of the command", async () => {
  const { solve, file, start, latest, ada, workDir, place } = await workshop();
  await writeFile(join(place, "host.txt"), "x");
  const { state, output, branch } = await solve(`cat ${join(place, "host.txt")}; id -u; echo changed > old.txt`, {
    isSandboxed: false,
  });
  assert.deepEqual([state, output.includes(`x${process.getuid?.()}\n`)], ["succeeded", true], output);
  assert.ok(branch);
  await file();
  const slept = mark(1);
  const working = start(`setsid sh -c '(setsid sleep ${slept} &) & sleep ${slept}' & sleep ${slept}`, {
    isSandboxed: false,
  });
  await until(() => alive(slept));
  await ada("POST", `/runs/${(await latest()).id}/cancel`);
  await working;
  await until(async () => !(await alive(slept)));
  assert.deepEqual([(await latest()).state, await readdir(workDir)], ["cancelled", []]);
});

test("a token is only sent to the host that the operator named, over HTTPS", async () => {
  const { ada, bind, file, start, latest, logOf, place } = await workshop();
  await using host = await startGitHost(place, { password: pushToken });
  await using other = await startGitHost(place, { password: pushToken });
  await using plain = await startGitHost(place, { password: pushToken, isPlain: true });
  await using redirecting = await startGitHost(place, { password: "", redirectTo: `https://${host.host}` });
  const trusted = { GIT_SSL_CAINFO: join(place, "trusted.pem") };
  const certificates = [host, other, redirecting].map(({ certificate }) => readFile(certificate, "utf8"));
  await writeFile(trusted.GIT_SSL_CAINFO, (await Promise.all(certificates)).join(""));
  const work = async (url: string, allowed: string[], name = "FORGE_TOKEN") => {
    await bind({ url, credentials_env: name });
    const ticketId = await file();
    const gitTokens = allowed.map((host) => ({ name: "FORGE_TOKEN", host }));
    await start("env; echo x > x.txt", { gitTokens }, undefined, trusted);
    const { id, state, reason, branch } = await latest();
    const log = (await logOf(id)).map(({ text }) => text).join("\n");
    assert.ok(!log.includes(pushToken), log);
    if (state !== "succeeded") await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: null });
    return { ended: [state, reason, branch !== null], log };
  };
  const failed = ["failed", "clone_failed", false];

  const cloned = await work(`https://${host.host}/web.git`, [host.host]);
  assert.deepEqual(cloned.ended, ["succeeded", null, true], cloned.log);
  assert.deepEqual([...new Set(host.credentials)], [`x-access-token:${pushToken}`]);
  host.credentials.length = 0;

  const elsewhere = await work(`https://${other.host}/web.git`, [host.host]);
  assert.deepEqual(elsewhere.ended, failed);
  assert.match(elsewhere.log, new RegExp(`start it with --git-token FORGE_TOKEN=${other.host}\\.`));
  const model = await work(`https://${host.host}/web.git`, [host.host], "MODEL_KEY");
  assert.deepEqual(model.ended, failed);
  assert.match(model.log, new RegExp(`start it with --git-token MODEL_KEY=${host.host}\\.`));
  const unencrypted = await work(`http://${plain.host}/web.git`, [plain.host]);
  assert.deepEqual(unencrypted.ended, failed);
  assert.match(unencrypted.log, /over HTTPS only: change the repository's address to https/);
  const redirected = await work(`https://${redirecting.host}/web.git`, [redirecting.host, host.host]);
  assert.deepEqual(redirected.ended, failed, redirected.log);
  assert.deepEqual(
    [host, other, plain, redirecting].flatMap(({ credentials }) => credentials),
    [],
  );
});

test("a runner refuses transport helpers and paths, and allows file addresses only if the operator does", async () => {
  const { ada, bind, file, start, latest, logOf, bare, place } = await workshop();
  const ran = join(place, "ran");
  const refused = /could not be cloned: Its address must use https, http, ssh or user@host:path\./;
  const cases: [string, RegExp][] = [
    [`ext::sh -c touch% ${ran}`, refused],
    [`--upload-pack=touch ${ran}`, refused],
    [`ssh://-oProxyCommand=touch%20${ran}/x`, refused],
    [bare, refused],
    [`file://${bare}`, /could not be cloned: It is a local repository\. .*--allow-file-repositories/],
  ];
  for (const [url, message] of cases) {
    await bind({ url });
    const ticketId = await file();
    await start("true", { allowsFiles: false });
    const { id, state, reason } = await latest();
    assert.deepEqual([state, reason], ["failed", "clone_failed"], url);
    assert.match((await logOf(id)).map(({ text }) => text).join("\n"), message);
    await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: null });
  }
  await assert.rejects(readFile(ran));
});

/** The number of runs in the test of left-behind processes: 200 take some minutes. */
const manyRuns = Number(process.env.LODGE_TEST_RUNS ?? 8);

test("a run that cannot start ends, for example with an invalid password or a missing work directory", async () => {
  const { bare, bind, file, start, latest, logOf, workDir } = await workshop();
  await bind({ url: `http://agent:100%@127.0.0.1:${await freePort()}/web.git`, credentials_env: null });
  await file();
  await start("true");
  assert.deepEqual([(await latest()).state, (await latest()).reason], ["failed", "clone_failed"]);
  await bind({ url: `file://${bare}` });
  const stop = new AbortController();
  const waiting = start("echo x > x.txt", { isOnce: false }, stop.signal);
  await until(async () => (await readdir(workDir)).some((name) => name.startsWith("runner-")));
  await rm(workDir, { recursive: true });
  await file();
  await until(async () => !["queued", "running"].includes((await latest()).state));
  stop.abort();
  await waiting;
  const { state, reason, id } = await latest();
  assert.equal(state, "succeeded", `${reason}: ${JSON.stringify(await logOf(id))}`);
});

test("folders that are nested too deeply for a path are removed and do not prevent a start", async () => {
  const { solve, start, workDir } = await workshop();
  const nest = `const { mkdirSync } = require("node:fs");
    for (let depth = 0; depth < 30; depth++) { mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }`;
  const { state, reason } = await solve(`/lodge/node -e '${nest}'`);
  assert.deepEqual([state, reason], ["failed", "tree_refused"]);
  const killed = join(workDir, "runner-1-1-killed");
  await mkdir(killed, { recursive: true });
  await run(process.execPath, ["-e", nest], { cwd: killed });
  await start("true");
  assert.deepEqual(await readdir(workDir), []);
});

test("many runs leave no process, directory, mount or open file behind", async () => {
  const { file, start, ada, acme } = await workshop();
  await lodge.deps.db.updateTable("organisations").set({ credits: manyRuns }).where("id", "=", acme.id).execute();
  const count = async () => ({
    processes: (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).length,
    mounts: (await readFile("/proc/self/mounts", "utf8")).split("\n").length,
    left: (await readdir(tmpdir())).filter((name) => /bwrap|lodge-runner/.test(name)).length,
  });
  const openFiles = async () => (await readdir("/proc/self/fd")).length;
  await file();
  await start("echo x > x.txt");
  const before = { ...(await count()), files: await openFiles() };
  for (let run = 1; run < manyRuns; run++) {
    await file();
    await start(`setsid sleep ${mark(2)} & echo x > x.txt`);
  }
  const { rows } = await lodge.deps.pool.query<{ count: number }>(
    "select count(*)::integer as count from agent_runs where organisation_id = $1 and state = 'succeeded'",
    [acme.id],
  );
  assert.equal(rows[0]?.count, manyRuns);
  await until(async () => !(await alive(mark(2))));
  const after = await count();
  assert.deepEqual([after.mounts, after.left], [before.mounts, before.left]);
  assert.ok((await openFiles()) <= before.files + 10, "no files stay open");
  assert.ok((await ada("GET", "/runs")).status === 200);
});

test("detached processes end with their run, and a cancelled run ends all of its processes", async () => {
  const { solve, file, start, latest, ada, workDir } = await workshop();
  const detach = (slept: string) => `setsid sh -c '(setsid sleep ${slept} &) & sleep ${slept}' >/dev/null 2>&1 &`;
  await solve(`${detach(mark(3))} true`);
  await until(async () => !(await alive(mark(3))));
  await file();
  const working = start(`${detach(mark(4))} sleep ${mark(4)}`);
  await until(() => alive(mark(4)));
  await ada("POST", `/runs/${(await latest()).id}/cancel`);
  await working;
  await until(async () => !(await alive(mark(4))));
  assert.deepEqual([(await latest()).state, await readdir(workDir)], ["cancelled", []]);
});

test("a commit that cannot be pushed is kept as a patch", async () => {
  const { solve, bare, ada } = await workshop();
  await mkdir(join(bare, "hooks"), { recursive: true });
  await writeFile(join(bare, "hooks/pre-receive"), "#!/bin/sh\necho no; exit 1\n", { mode: 0o755 });
  const { id, state, branch, hasPatch } = await solve("echo changed > old.txt");
  assert.deepEqual([state, branch, hasPatch], ["succeeded", null, true]);
  assert.match((await ada("GET", `/runs/${id}/patch`)).text, /^-old\n\+changed$/m);
  const huge = await solve("yes | head -c 1100000 > huge.txt");
  assert.deepEqual([huge.state, huge.hasPatch], ["succeeded", false], huge.output);
  assert.match(huge.output, /^The patch is too large to be kept\.$/m);
});

slowTest("a patch above the limit of git's output is not kept", async () => {
  const { solve, bare } = await workshop();
  await mkdir(join(bare, "hooks"), { recursive: true });
  await writeFile(join(bare, "hooks/pre-receive"), "#!/bin/sh\necho no; exit 1\n", { mode: 0o755 });
  const { state, hasPatch, output } = await solve("yes | head -c 70000000 > huge.txt");
  assert.deepEqual([state, hasPatch], ["succeeded", false], output);
  assert.match(output, /^The patch is too large to be kept\.$/m);
});

test("a run whose commit was pushed before its runner died is not repeated; the next run builds on its branch", async () => {
  const { solve, start, latest, acme, ada, show } = await workshop();
  const { id, branch, commit, ticketId } = await solve("echo once >> old.txt");
  await lodge.deps.db
    .updateTable("agent_runs")
    .set({ state: "queued", ended_at: null, branch: null, commit_sha: null })
    .where("id", "=", id)
    .execute();
  await start("exit 1");
  const again = await latest();
  assert.deepEqual([again.id, again.state, again.commit], [id, "succeeded", commit]);
  await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: null });
  await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: acme.agentUserId });
  await start("echo twice >> old.txt");
  assert.equal(await show(`${branch}:old.txt`), "old\nonce\ntwice\n");
});

/** The number of runs that two runners share; a token files 60 tickets a minute. */
const sharedRuns = Math.min(Math.ceil(manyRuns / 2), 50);

test("two runners with several simultaneous runs work on each run once", async () => {
  const { file, start, files, acme } = await workshop();
  await lodge.deps.db.updateTable("organisations").set({ credits: sharedRuns }).where("id", "=", acme.id).execute();
  const tickets = await Promise.all(Array.from({ length: sharedRuns }, () => file()));
  const stop = new AbortController();
  const both = [1, 2].map(() =>
    start("echo $LODGE_TICKET_ID > id.txt", { isOnce: false, concurrency: 2 }, stop.signal),
  );
  const runs = () =>
    lodge.deps.db.selectFrom("agent_runs").select(["state", "fence"]).where("organisation_id", "=", acme.id).execute();
  try {
    await until(async () => (await runs()).every(({ state }) => state === "succeeded"));
  } finally {
    stop.abort();
    await Promise.all(both);
  }
  assert.deepEqual(
    (await runs()).map(({ fence }) => fence),
    tickets.map(() => 1),
    "each run was taken once",
  );
  for (const ticketId of tickets) assert.ok((await files(`lodge/${ticketId}`)).includes("id.txt"));
});

test("a stopped runner gives its run back, and a killed runner loses it with all of its processes", async () => {
  const { file, start, latest, ada, logOf, settings, place, token } = await workshop();
  await file();
  const stop = new AbortController();
  const stopping = start(`sleep ${mark(5)}`, {}, stop.signal);
  await until(() => alive(mark(5)));
  stop.abort();
  await stopping;
  assert.equal((await latest()).state, "queued");

  await using home = await makeHome();
  const tokenFile = join(place, "token");
  await writeFile(tokenFile, `${token}\n`);
  const { workDir } = settings("");
  const command = `for i in 1 2 3 4 5 6 7 8; do echo line $i; done; sleep ${mark(6)}`;
  const options = [
    "--url",
    lodge.url,
    "--token-file",
    tokenFile,
    "--allow-file-repositories",
    "--command",
    command,
    "--work-dir",
    workDir,
  ];
  const killed = home.run(["agent-runner", ...options], { FORGE_TOKEN: pushToken });
  await until(() => alive(mark(6)));
  const { id } = await latest();
  await until(async () => (await logOf(id)).some(({ text }) => text.includes("line 8")));
  killed.kill("SIGKILL");
  await killed.ended;
  await until(async () => !(await alive(mark(6))));
  await loseRuns(lodge.deps, clock);
  await start("echo done > done.txt");
  const shown = await ada.call(getRun, { params: { runId: id } });
  assert.equal(shown.state, "succeeded");
  const offsets = (await logOf(id)).map(({ offset }) => offset);
  assert.deepEqual(
    offsets,
    offsets.map((_, index) => index),
  );
  assert.deepEqual(await readdir(workDir), [], "the folders of the killed runner are gone too");
});

test("a runner that is stopped while a forge is silent gives its run back and ends git", async () => {
  const { bind, file, start, latest } = await workshop();
  const asked = Promise.withResolvers<Socket>();
  const silent = createSocketServer((socket) => asked.resolve(socket.resume().on("error", () => {})));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/web.git`;
  await bind({ url, credentials_env: null });
  await file();
  const stop = new AbortController();
  const stopping = start("true", {}, stop.signal);
  const socket = await asked.promise;
  stop.abort();
  await stopping;
  assert.equal((await latest()).state, "queued");
  await until(() => socket.closed);
  silent.close();
});

test("a runner that was paused past its lease writes and pushes nothing", async () => {
  const { file, start, latest, bare, git, settings, place, token, logOf } = await workshop();
  const ticketId = await file();
  await using home = await makeHome();
  const tokenFile = join(place, "token");
  await writeFile(tokenFile, `${token}\n`);
  const workDir = join(place, "paused");
  const options = [
    "--url",
    lodge.url,
    "--token-file",
    tokenFile,
    "--allow-file-repositories",
    "--work-dir",
    workDir,
    "--once",
  ];
  // The command exits while the runner is paused.
  const slept = mark(7);
  const command = `echo begin; echo stale > stale.txt; sleep ${slept} & while ! test -e go; do sleep 0.05; done; kill $!`;
  const paused = home.run(["agent-runner", ...options, "--command", command], { FORGE_TOKEN: pushToken });
  await until(async () => (await logOf((await latest()).id)).some(({ text }) => text.includes("begin")));
  paused.kill("SIGSTOP");
  const { id } = await latest();
  await loseRuns(lodge.deps, clock);
  await start("echo fresh > fresh.txt", { workDir: settings("").workDir });
  const after = await latest();
  assert.deepEqual([after.id, after.state], [id, "succeeded"]);
  const [its = ""] = await readdir(workDir);
  const [run = ""] = await readdir(join(workDir, its));
  await writeFile(join(workDir, its, run, "tree/go"), "");
  await until(async () => !(await alive(slept)));
  paused.kill("SIGCONT");
  assert.equal((await paused.ended).code, 0);
  assert.deepEqual(await latest(), after);
  const tree = await git("-C", bare, "ls-tree", "--name-only", `lodge/${ticketId}`);
  assert.ok(tree.includes("fresh.txt") && !tree.includes("stale.txt"), tree);
  assert.ok((await logOf(id)).every(({ text }) => !text.includes("stale.txt")));
});

test("a runner logs the result of a run, and why the service cannot be reached", async () => {
  const { settings, file, bare } = await workshop();
  const say = async (command: string, changed: Partial<RunnerSettings> = {}, stop = new AbortController()) => {
    const lines: string[] = [];
    const told = (line: string) => {
      lines.push(line);
      if (line.endsWith("Trying again.")) stop.abort();
    };
    await runAgentRunner(settings(command, { isSandboxed: false, ...changed }), env, told, stop.signal);
    return lines.at(-1) ?? "";
  };
  await file();
  assert.match(await say("true"), /^run [0-9a-f-]{36}: ended: no_change: The command changed no files\.$/);
  await file();
  assert.match(await say("echo >new.txt"), /: ended: succeeded: Pushed [0-9a-f]{12} to lodge\/[0-9a-f-]{36}\.$/);
  await file();
  assert.match(await say("exit 3"), /: ended: failed \(command_failed\): The command exited with code 3\.$/);
  await rm(bare, { recursive: true });
  await file();
  assert.match(await say("true"), /: ended: failed \(clone_failed\): The repository could not be cloned: \S.+$/);
  const away = `http://127.0.0.1:${await freePort()}`;
  assert.match(
    await say("true", { url: away }),
    new RegExp(`^The service cannot be reached at ${away}: connect ECONNREFUSED .*\\. Trying again\\.$`),
  );
});

/** The machine's Node, if it is not the pinned one and has at least version 20. */
const systemNode =
  (env.PATH ?? "")
    .split(delimiter)
    .filter((place) => !place.includes("node_modules"))
    .map((place) => join(place, "node"))
    .find((path) => existsSync(path)) ?? process.execPath;

test("the runner file that a server serves works on a run with the machine's own Node", async () => {
  const { file, latest, files, place, token, settings } = await workshop();
  const answer = await fetch(`${lodge.url}/lodge-runner.mjs`);
  assert.deepEqual(
    [answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")],
    [200, "text/javascript; charset=utf-8", "no-cache"],
  );
  const runner = join(place, "lodge-runner.mjs");
  await writeFile(runner, await answer.text());
  const tokenFile = join(place, "token");
  await writeFile(tokenFile, `${token}\n`);
  const ticketId = await file();
  const options = ["--url", lodge.url, "--token-file", tokenFile, "--work-dir", settings("").workDir];
  const command = 'echo "$LODGE_TICKET_ID" > id.txt; command -v lodge-ask';
  const all = [...options, "--allow-file-repositories", "--once", "--command", command];
  const { stderr } = await run(systemNode, [runner, ...all], { env: { PATH: env.PATH, HOME: folder } });
  assert.match(stderr, /: ended: succeeded: Pushed /);
  assert.equal((await latest()).state, "succeeded");
  assert.ok((await files(`lodge/${ticketId}`)).includes("id.txt"));
  assert.match((await run(systemNode, [runner, "--help"])).stdout, /^Usage: lodge-runner /);
  const wrong = await run(systemNode, [runner, ...options, "--token=ldr_secret"]).catch(
    (error: { stderr: string }) => error,
  );
  assert.equal(wrong.stderr, "error: unknown option '--token'\n");
});

test("--check and a start print a sentence for each invalid setting", async () => {
  const { place, token, settings } = await workshop();
  const tokenFile = join(place, "token");
  await writeFile(tokenFile, `${token}\n`);
  const programs = await mkdtemp(join(tmpdir(), "lodge-programs-")); // below /tmp, which the sandbox replaces with its own
  await writeFile(join(programs, "my-agent"), "#!/bin/sh\n", { mode: 0o755 });
  const check = async (...args: string[]) => {
    const all = ["--url", lodge.url, "--token-file", tokenFile, "--work-dir", settings("").workDir, ...args];
    const PATH = `${programs}:${env.PATH}`;
    const { code, stdout, stderr } = await runCommand(["agent-runner", ...all], { ...env, PATH, EMPTY: "" });
    return { code, stdout, wrong: stderr.split("\n").filter(Boolean) };
  };
  const good = ["--command", "my-agent --now", "--readable", programs, "--git-token", "FORGE_TOKEN=git.acme.test:8443"];
  good.push("--allow-file-repositories");
  const forge = (host: string) => ["--forge", `${host}=gitlab=https://git.acme.test:8443/api/v4`];
  const right = await check("--check", ...good, ...forge("git.acme.test:8443"), "--pass-env", "MODEL_KEY");
  assert.deepEqual(right, { code: 0, stdout: "All settings are valid.\n", wrong: [] });

  const missing = ["--readable", join(place, "nowhere"), "--readable", place, "--readable", "/tmp"];
  const names = ["--pass-env", "EMPTY", "--pass-env", "FORGE_TOKEN", "--git-token", "OTHER_TOKEN=git.acme.test"];
  const bad = [...missing, ...names, ...good.slice(4), ...forge("git.other.test"), "--command", "my-agent"];
  const wrong = [
    /FORGE_TOKEN is given to both --git-token and --pass-env/,
    /--pass-env names EMPTY, which is not set/,
    /--git-token names OTHER_TOKEN, which is not set/,
    /--forge names git\.other\.test, .* Add --git-token VARIABLE=git\.other\.test\./,
    /--readable .*nowhere cannot be read/,
    /--readable .* would let the command read the runner's .*token\./,
    /--readable \/tmp would hide a directory/,
    /The command my-agent is not found inside the sandbox: .*--readable/,
  ];
  for (const option of [["--check"], ["--once"]]) {
    const found = await check(...option, ...bad);
    assert.equal(found.code, 2);
    const sentences = found.wrong.filter((line) => !line.startsWith("Waiting for runs"));
    assert.equal(sentences.length, wrong.length, sentences.join("\n"));
    for (const [index, expected] of wrong.entries()) assert.match(sentences[index] ?? "", expected);
  }

  await writeFile(tokenFile, `ldgrun_${"0".repeat(49)}`);
  assert.match((await check("--check", ...good)).wrong.join("\n"), /^The runner token is missing or invalid.*$/);
  const away = await check("--check", ...good, "--url", `http://127.0.0.1:${await freePort()}`);
  assert.deepEqual([away.code, away.wrong.length], [2, 1], away.wrong.join("\n"));
  assert.match(away.wrong[0] ?? "", /cannot be reached/);
  for (const option of [
    ["--git-token", "FORGE_TOKEN"],
    ["--git-token", "FORGE_TOKEN=http://x"],
    ["--forge", "x=gitlab=http://x"],
  ]) {
    assert.equal((await check("--check", ...good, ...option)).code, 2, option.join(" "));
  }
  await rm(programs, { recursive: true });
});

test("--check and a start print why a runner cannot work on a repository", async () => {
  const { place, token, bind, settings } = await workshop();
  const tokenFile = join(place, "token");
  await writeFile(tokenFile, `${token}\n`);
  const answers: Record<string, [number, object]> = {};
  const forge = createServer((request, response) => {
    const [status, body] = answers[request.method ?? ""] ?? [500, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await until(() => forge.listening);
  const api = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
  const checked = { ...settings("true"), tokenFile, allowsFiles: false };
  const gitTokens = [{ name: "FORGE_TOKEN", host: "git.acme.test:8443" }];
  const forges = new Map([["git.acme.test:8443", { kind: "gitea" as const, api }]]);
  const check = async (needsAnswers = true) =>
    (await checkSettings({ ...checked, gitTokens, forges, passedNames: [] }, env, hostOf(env), needsAnswers)).filter(
      (sentence) => !/^Repository (?:android|ios): /.test(sentence),
    );
  try {
    assert.deepEqual(await check(false), [
      "Repository web: it is a local repository. Start the runner with --allow-file-repositories.",
    ]);
    await bind({ url: "ext::sh -c true" });
    assert.deepEqual(await check(), ["Repository web: its address must use https, http, ssh or user@host:path."]);
    const url = "https://git.acme.test:8443/acme/web.git";
    await bind({ url, credentials_env: "OTHER_TOKEN" });
    assert.match(
      (await check()).join(),
      /^Repository web: .* start it with --git-token OTHER_TOKEN=git\.acme\.test:8443\.$/,
    );
    await bind({ url, credentials_env: "FORGE_TOKEN" });
    answers.GET = [200, { default_branch: "main" }];
    answers.POST = [403, { message: "token does not have the required scope" }];
    for (const needsAnswers of [true, false]) {
      assert.deepEqual(await check(needsAnswers), [
        "Repository web: FORGE_TOKEN has no permission to open pull requests there: Gitea answered 403: token does not have the required scope.",
      ]);
    }
    answers.POST = [422, { message: "no changes" }];
    assert.deepEqual(await check(), []);
    answers.GET = [429, {}];
    assert.deepEqual(await check(false), [], "a start does not depend on the answer of the forge");
  } finally {
    forge.closeAllConnections();
    forge.close();
  }
});

test("the sandbox refuses keyrings, ptrace, mounts, bpf and userfaultfd, even if the kernel would not", async () => {
  const { solve } = await workshop();
  const { calls } = architectures[process.arch] ?? assert.fail("no such architecture");
  const numbers = Object.entries(calls).map(([name, number]) => `${name}=${number}`);
  const script = `
    for (@ARGV) { my ($name, $number) = split "="; $! = 0; my $answer = syscall($number, 0, 0, 0, 0, 0);
      print "allowed $name $!\\n" unless $answer == -1 && $! == 1; }
    open my $status, "<", "/proc/self/status"; print grep { /^Seccomp:|^NoNewPrivs:/ } <$status>; print "ran\\n";`;
  const { state, output } = await solve(`perl -e '${script.replaceAll("\\\\", "\\")}' ${numbers.join(" ")}`);
  assert.equal(state, "no_change", output);
  assert.doesNotMatch(output, /^allowed/m);
  assert.match(output, /^NoNewPrivs:\t1$\n^Seccomp:\t2$\n^ran$/m);
});

test("a directory below /tmp or /home is readable in the sandbox with --readable", async () => {
  const { solve } = await workshop();
  const readable = await mkdtemp("/tmp/lodge-readable-");
  await writeFile(join(readable, "tool"), "#!/bin/sh\necho the tool runs\n", { mode: 0o755 });
  const { output } = await solve("tool; ls /tmp | wc -l; touch /tmp/mine && echo written", { readable: [readable] });
  assert.match(output, /^the tool runs$\n^1$\n^written$/m);
  await rm(readable, { recursive: true });
});

test("an allowed host cannot resolve to an address of this machine without --allow-network", async () => {
  const { solve } = await workshop();
  const server = createServer((_request, response) => response.end("hello")).listen(0, "localhost");
  await until(() => server.listening);
  const target = `localhost:${(server.address() as AddressInfo).port}`;
  const command = `/lodge/node -e '
    const socket = require("net").connect(3128, "127.0.0.1", () => socket.write("CONNECT ${target} HTTP/1.1\\r\\n\\r\\n"));
    socket.once("data", (data) => { console.log(data.toString().split("\\r\\n")[0]); process.exit(); })'`;
  try {
    const refused = await solve(command, { allowedHosts: [target] });
    assert.match(refused.output, /HTTP\/1.1 403/);
    assert.deepEqual(
      refused.log.filter(({ kind }) => kind === "refused").map(({ text }) => text),
      [target],
    );
    const networks = ["127.0.0.0/8", "::1"].map(parseNetwork).filter((network) => network !== undefined);
    assert.match((await solve(command, { allowedHosts: [target], networks })).output, /HTTP\/1.1 200/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("lodged agent-runner prints its server and token file, exits without a run with --once, and requires a command for acp", async () => {
  const { place, token } = await workshop();
  const tokenFile = join(place, "token");
  await writeFile(tokenFile, token);
  const start = (...args: string[]) =>
    runCommand(["agent-runner", "--url", lodge.url, "--token-file", tokenFile, "--no-sandbox", ...args], {
      PATH: env.PATH ?? "",
    });
  const once = ["--command", "true", "--work-dir", join(place, "work"), "--allow-file-repositories", "--once"];
  const waiting = await start(...once);
  assert.equal(
    waiting.stderr,
    `Waiting for runs at ${lodge.url}, with the token in ${tokenFile}.\n`,
    "the runner exits if no run is waiting",
  );
  await writeFile(tokenFile, `ldgrun_${"0".repeat(49)}`);
  const unknown = await start(...once);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /^The runner token is missing or invalid.*\n$/);
  assert.equal((await start("--agent", "acp")).stderr, "--agent acp needs --command.\n");
});

test("a runner exits with a message if it cannot create a sandbox or its token is unknown", async () => {
  const { settings } = await workshop();
  const never = new AbortController().signal;
  const without = { ...env, PATH: "/nowhere" };
  const [wrong = ""] = await checkSettings(settings("true"), without, hostOf(without), false);
  assert.match(wrong, /Cannot create a sandbox: spawn bwrap ENOENT.*--no-sandbox/s);
  const unknown = settings("true", { token: `ldgrun_${"0".repeat(49)}` });
  await assert.rejects(
    runAgentRunner(unknown, env, () => {}, never),
    /runner token is missing or invalid/,
  );
});
