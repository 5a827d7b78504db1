import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundleRunner } from "../../../runner/bundle.ts";
import { makeOrganisation } from "./make-organisation.ts";
import { childrenOf, makeHome } from "./run-lodged.ts";
import { startService } from "./start-service.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
// The unit is written for a Lodge in /opt/lodge.
const unit = (await readFile(`${root}deploy/lodged.service`, "utf8")).replaceAll("/opt/lodge/", root);
const valuesOf = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

const runnerUnit = await readFile(`${root}deploy/lodge-runner.service`, "utf8");

for (const [name, text] of Object.entries({ lodged: unit, "lodge-runner": runnerUnit })) {
  test(`systemd finds nothing wrong with ${name}.service`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-unit-"));
    const file = join(folder.path, `${name}.service`);
    await writeFile(file, text);
    const { status, stdout, stderr, error } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    assert.deepEqual({ status, stdout, stderr, error }, { status: 0, stdout: "", stderr: "", error: undefined });
  });
}

test("the runner's systemd unit passes valid options: only the agent is missing", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-unit-"));
  await using lodge = await startService();
  const acme = await makeOrganisation(lodge);
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    runners: [{ name: "builder" }],
  });
  const runner = join(folder.path, "lodge-runner.mjs");
  await bundleRunner(runner);
  await writeFile(join(folder.path, "token"), made.runners[0]?.secret ?? "");
  const [line = ""] = [...runnerUnit.matchAll(/^ExecStart=(.*)$/gm)].map(([, value = ""]) => value);
  const [, , ...options] = line
    .replace("https://lodge.example.com", lodge.url)
    .replace("%d", folder.path)
    .replace("/var/lib/lodge-runner", join(folder.path, "work"))
    .split(" ");
  const env = { PATH: "/usr/bin:/bin", GITHUB_TOKEN: "token" };
  const checked = spawn(process.execPath, [runner, ...options, "--check"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [said, code] = await Promise.all([
    checked.stderr.setEncoding("utf8").toArray(),
    new Promise((resolve) => checked.on("close", resolve)),
  ]);
  assert.match(said.join(""), /^The command claude is not found inside the sandbox: [^\n]*\n$/);
  assert.equal(code, 2);
});

test("the systemd unit starts the server directly, on the Node of the dependencies and without a demo organisation", async () => {
  await using home = await makeHome();
  const [node = "", first = "", ...args] = valuesOf("ExecStart")[0]?.split(" ") ?? [];
  assert.equal(node, `${root}node_modules/.bin/node`);
  const settings = Object.fromEntries(valuesOf("Environment").map((line) => line.split(/=(.*)/s, 2)));
  const started = args.map((arg) => (arg.endsWith("lodged.mjs") ? join(root, arg) : arg));
  const lodged = home.run(started, { ...settings, LODGE_DATA_DIR: home.dataDir }, { node, main: first });
  await lodged.ready();
  assert.doesNotMatch(lodged.stdout(), /demo/);
  for (const child of childrenOf(lodged.pid))
    assert.match(child.command, /postgres|unshare/, "the server has no other child processes than PostgreSQL");
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 0);
});
