import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { childrenOf, makeHome } from "./run-lodged.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
// The unit is for a Lodge in /opt/lodge.
const unit = (await readFile(`${root}deploy/lodged.service`, "utf8")).replaceAll("/opt/lodge/", root);
const valuesOf = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

test("systemd finds nothing wrong with the unit", async () => {
  await using home = await makeHome();
  const file = join(home.folder, "lodged.service");
  await writeFile(file, unit);
  const { status, stdout, stderr, error } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
  assert.deepEqual({ status, stdout, stderr, error }, { status: 0, stdout: "", stderr: "", error: undefined });
});

test("the unit starts the server itself, on the Node of the dependencies and without a demo organisation", async () => {
  await using home = await makeHome();
  const [node = "", first = "", ...args] = valuesOf("ExecStart")[0]?.split(" ") ?? [];
  assert.equal(node, `${root}node_modules/.bin/node`);
  const settings = Object.fromEntries(valuesOf("Environment").map((line) => line.split(/=(.*)/s, 2)));
  const started = args.map((arg) => (arg.endsWith("lodged.mjs") ? join(root, arg) : arg));
  const lodged = home.run(started, { ...settings, LODGE_DATA_DIR: home.dataDir }, { node, main: first });
  await lodged.ready();
  assert.doesNotMatch(lodged.stdout(), /demo/);
  for (const child of childrenOf(lodged.pid)) assert.match(child.command, /postgres|unshare/, "nothing but PostgreSQL");
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 0);
});
