import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac, hash } from "node:crypto";
import { once } from "node:events";
import { chmod, copyFile, glob, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { freePort } from "../../../apps/server/src/testing/free-port.ts";
import { makeOrganisation } from "../../../apps/server/src/testing/make-organisation.ts";
import { startService } from "../../../apps/server/src/testing/start-service.ts";
import { ciEnvironments } from "./ci-environments.ts";
import { lodgeFile } from "./run-lodge.ts";

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "lodge-examples-"));
after(() => rm(folder, { recursive: true, force: true }));
// The server offers the built command as a download.
await copyFile(lodgeFile, join(folder, "lodge.mjs"));
await symlink(process.execPath, join(folder, "node"));
await writeFile(join(folder, "backup"), '#!/bin/sh\necho "disk full"\nexit "$BACKUP_STATUS"\n');
await chmod(join(folder, "backup"), 0o755);
const lodge = await startService({}, { webAppDir: folder });
after(() => lodge[Symbol.asyncDispose]());

const open = async (organisationId: string) =>
  (
    await lodge.deps.db
      .selectFrom("tickets")
      .select(["title", "description"])
      .where("organisation_id", "=", organisationId)
      .orderBy("id")
      .execute()
  ).map(({ title, description }) => [title, description]);

/** Runs a script of an example as its service would. */
async function runScript(script: string, env: Record<string, string>): Promise<string> {
  const child = spawn("bash", ["--norc", "-e", "-u", "-o", "pipefail", "-c", script], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, RUNNER_TEMP: folder, LODGE_URL: lodge.url, ...env },
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  assert.equal(exitCode, 0, `${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

test("the GitHub Actions step files one ticket with the log, no matter how often the run is repeated", async () => {
  const acme = await makeOrganisation(lodge);
  const workflow = parse(await readFile(`${examples}github-actions/nightly.yml`, "utf8"));
  const step = workflow.jobs.build.steps.find(({ name }: { name: string }) => name === "File a ticket");
  await writeFile(join(folder, "build.log"), "error: it broke\n");
  const env = {
    ...ciEnvironments["GitHub Actions"]?.env,
    GITHUB_WORKFLOW: "Nightly",
    GITHUB_REF_NAME: "main",
    LODGE_TOKEN: acme.tokens.web,
  };
  await runScript(step.run, env);
  await runScript(step.run, { ...env, GITHUB_RUN_ATTEMPT: "2" });
  const [[title, description] = [], ...others] = await open(acme.id);
  assert.deepEqual([title, others], ["Nightly is red on main", []]);
  assert.match(description ?? "", /^error: it broke\n\s+(?:.*\n)*Run: https:/);
  const without = await runScript(step.run, { ...env, LODGE_TOKEN: "", GITHUB_ACTOR: "dependabot[bot]" });
  assert.match(without, /No ticket was filed/);
});

const integrations = `${root}integrations/`;
const checksum = hash("sha256", await readFile(lodgeFile));

/** The scripts of the GitHub Action and of the GitLab component, with the values that their services set. */
const actions: Record<string, () => Promise<{ script: string; status: string[]; env: Record<string, string> }>> = {
  "GitHub Action": async () => {
    const action = parse(await readFile(`${integrations}github-action/action.yml`, "utf8"));
    const [step] = action.runs.steps;
    assert.match(step.env.LODGE_SHA256, /\|\| '[0-9a-f]{64}' \}\}$/);
    const env = { ...ciEnvironments["GitHub Actions"]?.env, GITHUB_ACTION_PATH: `${integrations}github-action` };
    return { script: step.run, status: ["failure", "success"], env };
  },
  "GitLab component": async () => {
    const [spec, jobs] = parseAllDocuments(
      await readFile(`${integrations}gitlab-component/templates/ticket.yml`, "utf8"),
    ).map((document) => document.toJS());
    assert.match(spec.spec.inputs.sha256.default, /^[0-9a-f]{64}$/);
    const statusOf = (job: string) => jobs[job].variables.LODGE_STATUS as string;
    return {
      script: jobs[".lodge-ticket"].script.join("\n"),
      status: ["lodge-ticket-file", "lodge-ticket-resolve"].map(statusOf),
      env: { ...ciEnvironments["GitLab CI"]?.env },
    };
  },
};

for (const [name, read] of Object.entries(actions)) {
  test(`the ${name} files a ticket, counts further failures on it and resolves it, with the pinned command alone`, async () => {
    const acme = await makeOrganisation(lodge);
    const { script, status, env } = await read();
    const [failure = "", success = ""] = status;
    await writeFile(join(folder, "build.log"), "error: it broke\n");
    const run = (changed: Record<string, string>) =>
      runScript(script, {
        ...env,
        LODGE_TOKEN: acme.tokens.web,
        LODGE_TITLE: "--Nightly $(exit 1) *",
        LODGE_PROBLEM: "web nightly",
        LODGE_DESCRIPTION_FILE: "build.log",
        LODGE_LABELS: "ci *",
        LODGE_SHA256: checksum,
        ...changed,
      });
    const rows = async () =>
      lodge.deps.db
        .selectFrom("tickets")
        .select(["title", "description", "labels", "done_at"])
        .where("organisation_id", "=", acme.id)
        .execute();
    const occurrences = async () =>
      (await lodge.deps.pool.query("select occurrences from tickets where organisation_id = $1", [acme.id])).rows;
    const wrong = await run({ LODGE_STATUS: failure, LODGE_SHA256: "0".repeat(64) });
    assert.match(wrong, new RegExp(`No ticket: lodge\\.mjs has the SHA-256 ${checksum}, not the pinned 0{64}`));
    assert.match(await run({ LODGE_STATUS: failure, LODGE_TOKEN: "" }), /No ticket: there is no token/);
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    assert.match(await run({ LODGE_STATUS: failure, LODGE_URL: nowhere }), /No ticket: .*ECONNREFUSED/);
    assert.match(await run({ LODGE_STATUS: "cancelled" }), /No ticket: the job status is cancelled/);
    assert.deepEqual(await rows(), []);

    await run({ LODGE_STATUS: failure });
    const [filed, ...more] = await rows();
    assert.deepEqual(more, []);
    assert.equal(filed?.title, "--Nightly $(exit 1) * is red");
    assert.match(filed?.description ?? "", /error: it broke/);
    assert.deepEqual(filed?.labels, ["ci", "*"]);
    assert.match(await run({ LODGE_STATUS: failure }), /This ticket was filed before/);
    const later = { GITHUB_RUN_ID: "2", CI_PIPELINE_ID: "2" };
    assert.match(await run({ LODGE_STATUS: failure, ...later }), /Occurrence 2 of an open ticket/);
    assert.deepEqual(await occurrences(), [{ occurrences: 2 }]);
    assert.match(await run({ LODGE_STATUS: success, ...later }), /The problem is resolved/);
    assert.notEqual((await rows())[0]?.done_at, null);
    const placed = { LODGE_PROBLEM: "placed", LODGE_project: "web", LODGE_board: "Later", LODGE_column: "Chosen" };
    assert.match(
      await run({ LODGE_STATUS: failure, ...placed }),
      /projects:read/,
      "a refused request does not fail the job",
    );
    const byId = { ...placed, LODGE_project: acme.web.id, LODGE_board: acme.web.later.id };
    await run({ LODGE_STATUS: failure, ...byId, LODGE_column: acme.web.later.chosenId });
    assert.equal(await columnOf(acme.id, "placed"), acme.web.later.chosenId);
  });
}

/** The id of the column with the problem's ticket. */
const columnOf = async (organisationId: string, problem: string) =>
  (
    await lodge.deps.db
      .selectFrom("tickets")
      .select("column_id")
      .where("organisation_id", "=", organisationId)
      .where("problem", "=", problem)
      .executeTakeFirst()
  )?.column_id;

test("the GitLab component runs the script of the GitHub Action", async () => {
  const { script } = (await actions["GitLab component"]?.()) ?? assert.fail();
  const own = await readFile(`${integrations}github-action/file-ticket.sh`, "utf8");
  assert.equal(`#!/bin/sh\n${script}`, own);
});

type Pages = { failure: string; success: string };
/** Finds the commands on a CI service's page, for a job that fails and for a job that passes. */
type OnPage = (page: string) => Pages;

const blockOf = (page: string, language: string, index = 0): string =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))][index]?.[1] ?? "";
const inYaml =
  (find: (yaml: never) => Pages): OnPage =>
  (page) =>
    find(parse(blockOf(page, "yaml") || page) as never);
const asCommands = inYaml(([failure, success]: { commands: string[] }[]) => ({
  failure: failure?.commands.join("\n") ?? "",
  success: success?.commands.join("\n") ?? "",
}));
const inStatus = (script: string, variable: string): Pages => ({
  failure: `${variable}=1\n${script}`,
  success: `${variable}=0\n${script}`,
});

/** The workflow of each page, and the variables of its service other than those that identify jobs. */
const pages: Record<string, { file: string; onPage: OnPage; env?: Record<string, string> }> = {
  "GitHub Actions": {
    file: "examples/github-actions/nightly.yml",
    onPage: inYaml(({ jobs }: { jobs: { build: { steps: { name: string; run: string }[] } } }) => {
      const runOf = (name: string) => jobs.build.steps.find((step) => step.name === name)?.run ?? "";
      return { failure: runOf("File a ticket"), success: runOf("Resolve the ticket") };
    }),
    env: { GITHUB_WORKFLOW: "Nightly", GITHUB_REF_NAME: "main" },
  },
  "GitLab CI": {
    file: "examples/gitlab/gitlab-ci.yml",
    onPage: inYaml((pipeline: Record<string, { before_script: string[]; script: string[] }>) => {
      const scriptOf = (job: string) =>
        [...(pipeline[".lodge"]?.before_script ?? []), ...(pipeline[job]?.script ?? [])].join("\n");
      return { failure: scriptOf("file a ticket"), success: scriptOf("resolve the ticket") };
    }),
    env: { CI_COMMIT_REF_NAME: "main" },
  },
  Jenkins: {
    file: "docs/ci/jenkins.md",
    onPage: (page) => {
      const lineOf = (when: string) => new RegExp(`${when} \\{ sh '(.*)' \\}`).exec(page)?.[1] ?? "";
      return { failure: lineOf("failure"), success: lineOf("success") };
    },
  },
  Buildkite: {
    file: "docs/ci/buildkite.md",
    onPage: (page) => inStatus(blockOf(page, "sh"), "BUILDKITE_COMMAND_EXIT_STATUS"), // the status of a step without a label
  },
  CircleCI: {
    file: "docs/ci/circleci.md",
    onPage: inYaml(([failure, success]: { run: { command: string } }[]) => ({
      failure: failure?.run.command ?? "",
      success: success?.run.command ?? "",
    })),
  },
  "Azure Pipelines": {
    file: "docs/ci/azure-pipelines.md",
    onPage: inYaml(([failure, success]: { bash: string }[]) => ({
      failure: failure?.bash ?? "",
      success: success?.bash ?? "",
    })),
  },
  "Bitbucket Pipelines": {
    file: "docs/ci/bitbucket.md",
    onPage: inYaml((yaml: { "after-script": string[] }) =>
      inStatus(yaml["after-script"].join("\n"), "BITBUCKET_EXIT_CODE"),
    ),
    env: { BITBUCKET_REPO_SLUG: "web" },
  },
  Drone: { file: "docs/ci/drone.md", onPage: asCommands },
  "Woodpecker CI": { file: "docs/ci/woodpecker.md", onPage: asCommands },
  TeamCity: {
    file: "docs/ci/teamcity.md",
    onPage: (page) => ({ failure: blockOf(page, "sh"), success: blockOf(page, "sh", 1) }),
  },
  "Travis CI": {
    file: "docs/ci/travis.md",
    onPage: inYaml((yaml: { after_failure: string[]; after_success: string[] }) => ({
      failure: yaml.after_failure.join("\n"),
      success: yaml.after_success.join("\n"),
    })),
  },
};

test("every CI service that the command recognises has a page in the documentation", () => {
  assert.deepEqual(Object.keys(pages).sort(), Object.keys(ciEnvironments).sort());
});

for (const [service, { file, onPage, env: more }] of Object.entries(pages)) {
  test(`${service}: the documented steps file a ticket with the log when a job fails, and resolve it when it passes`, async () => {
    const acme = await makeOrganisation(lodge);
    const { failure, success } = onPage(await readFile(new URL(`../../../${file}`, import.meta.url), "utf8"));
    await writeFile(join(folder, "build.log"), "error: it broke\n");
    const job = ciEnvironments[service];
    assert.ok(job);
    const env = { ...job.env, ...more, LODGE_TOKEN: acme.tokens.web };
    await runScript(failure, env);
    const [[title, description] = [], ...others] = await open(acme.id);
    assert.match(title ?? "", /^[^ ]\S* is red/, "every variable of the title is set");
    assert.match(description ?? "", /^error: it broke\n/);
    assert.deepEqual(others, []);
    assert.match(await runScript(success, { ...env, ...job.next }), /https?:/);
    const tickets = await lodge.deps.db
      .selectFrom("tickets")
      .select(["column_id"])
      .where("organisation_id", "=", acme.id)
      .execute();
    assert.deepEqual(
      tickets,
      [{ column_id: acme.web.inbox.doingId }],
      "the resolved ticket is in the board's last column",
    );
  });
}

/** The services where a step after the build cannot make it fail. */
const endsWithTheBuild = ["Bitbucket Pipelines", "Travis CI", "GitLab CI"];

for (const [service, { file, onPage, env: more }] of Object.entries(pages)) {
  if (endsWithTheBuild.includes(service)) continue;
  test(`${service}: a build stays green while Lodge is down`, async () => {
    const page = await readFile(new URL(`../../../${file}`, import.meta.url), "utf8");
    const env = { ...ciEnvironments[service]?.env, ...more, LODGE_TOKEN: "ldg_x" };
    const { failure, success } = onPage(page);
    for (const script of [failure, success]) {
      await runScript(script, { ...env, LODGE_URL: `http://127.0.0.1:${await freePort()}` });
    }
  });
}

test("GitLab CI: a failed download of the command is visible as a job that was allowed to fail", async () => {
  const { file, onPage, env: more } = pages["GitLab CI"] ?? assert.fail("GitLab has no page");
  const page = await readFile(new URL(`../../../${file}`, import.meta.url), "utf8");
  assert.equal(parse(page)[".lodge"].allow_failure, true);
  const env = { ...ciEnvironments["GitLab CI"]?.env, ...more, LODGE_TOKEN: "ldg_x", LODGE_URL: `${lodge.url}/nowhere` };
  await assert.rejects(runScript(onPage(page).success, env), /404/);
});

test("the cron line files a ticket when its command fails", async () => {
  const acme = await makeOrganisation(lodge);
  const token = join(folder, "token");
  await writeFile(token, acme.tokens.web);
  const crontab = await readFile(`${examples}cron/backup.cron`, "utf8");
  const line = crontab.split("\n").find((each) => each.startsWith("15 3")) ?? "";
  const command = line.replace(/^(\S+\s+){5}/, "").replaceAll("/usr/local/lib/", "");
  await runScript(command, { LODGE_TOKEN_FILE: token, BACKUP_STATUS: "1" });
  assert.deepEqual(await open(acme.id), [["Backup failed", "disk full\n"]]);
});

test("the slash command files one ticket for repeated requests, and refuses requests without Slack's signature", async () => {
  const acme = await makeOrganisation(lodge);
  const port = await freePort();
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const env = { PORT: `${port}`, SLACK_SIGNING_SECRET: secret, LODGE_URL: lodge.url, LODGE_TOKEN: acme.tokens.web };
  const bot = spawn(process.execPath, [`${examples}slash-command/slash.mjs`], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(bot, "exit");
  try {
    const lines = createInterface({ input: bot.stdout });
    await Promise.race([once(lines, "line"), exited.then(() => assert.fail("the bot ended"))]);
    const body = new URLSearchParams({
      text: "The checkout is down",
      trigger_id: "13345224609.738474920.8088930838d88f008e0",
      user_name: "ada",
      channel_name: "shop",
    }).toString();
    const timestamp = `${Math.floor(Date.now() / 1000)}`;
    const sign = (key: string) => `v0=${createHmac("sha256", key).update(`v0:${timestamp}:${body}`).digest("hex")}`;
    const send = (signature: string) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body,
        headers: { "x-slack-request-timestamp": timestamp, "x-slack-signature": signature },
      });
    assert.equal((await send(sign("another"))).status, 401);
    const answers = [await (await send(sign(secret))).json(), await (await send(sign(secret))).json()];
    for (const answer of answers) assert.match((answer as { text: string }).text, /^The checkout is down: http/);
    assert.deepEqual(await open(acme.id), [["The checkout is down", "Filed by ada in #shop."]]);
  } finally {
    bot.kill();
    await exited;
  }
});

test("actions and images in the examples are pinned to a digest or an exact version", async () => {
  const found: string[] = [];
  for await (const file of glob(["examples/*/*.{yml,yaml}", "docs/ci/*.md"], { cwd: root })) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, what = ""] of text.matchAll(/\b(?:uses|image): +["']?([^\s"']+)/g)) {
      assert.match(what, /@(?:sha256:)?[0-9a-f]{40,64}$|:\d+\.\d+\.\d+(?:-\w+)*$/, `${file}: ${what}`);
      found.push(what);
    }
  }
  assert.ok(found.length >= 4, found.join(", "));
});
