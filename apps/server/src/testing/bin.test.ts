import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";
import { childrenOf, makeHome, processesNaming } from "./run-lodged.ts";
import { until } from "./until.ts";

const lodged = fileURLToPath(new URL("../../bin/lodged.mjs", import.meta.url));

function showsHelp(node: string, ...options: string[]) {
  const { status, stdout, stderr } = spawnSync(node, [...options, lodged, "--help"], { encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""], node);
  assert.match(stdout, /^Usage: lodged /);
}

/** Preloaded, it makes this Node look old, with a lower version and fewer exports of node:module. */
const ageing = `
  import { registerHooks } from "node:module";
  Object.defineProperty(process.versions, "node", { value: "20.18.0" });
  process.execArgv.length = 0; // do not preload it in the Node that lodged starts
  const old = { url: "data:text/javascript,export const createRequire = 0", shortCircuit: true };
  registerHooks({ resolve: (name, context, next) => (name === "node:module" ? old : next(name, context)) });
`;

test("lodged starts on the oldest Node that the documentation promises", () => {
  showsHelp(process.execPath, "--import", `data:text/javascript,${encodeURIComponent(ageing)}`);
});

test("lodged starts on the Node that is on the PATH", (t) => {
  const node = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find((path) => existsSync(path));
  if (node) showsHelp(node);
  else t.diagnostic("the PATH has no Node but the pinned one");
});

test("a server that an old Node started ends when that Node is killed", async () => {
  await using home = await makeHome();
  const tokenFile = join(home.folder, "token");
  await writeFile(tokenFile, `ldgrun_${"0".repeat(49)}`);
  const url = `http://127.0.0.1:${await freePort()}`; // nothing listens there, so the runner keeps trying
  const args = [
    "--url",
    url,
    "--token-file",
    tokenFile,
    "--no-sandbox",
    "--command",
    "true",
    "--work-dir",
    home.folder,
  ];
  const old = ["--import", `data:text/javascript,${encodeURIComponent(ageing)}`, lodged];
  const wrapper = spawn(process.execPath, [...old, "agent-runner", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  wrapper.stderr.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  await until(() => said.includes("Trying again."));
  const [runner] = childrenOf(wrapper.pid ?? 0);
  assert.ok(runner);
  wrapper.kill("SIGKILL");
  await until(() => !processesNaming(tokenFile).some((line) => line.trim().startsWith(`${runner.pid} `)));
});
