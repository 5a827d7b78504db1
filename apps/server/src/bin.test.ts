import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const lodged = fileURLToPath(new URL("../bin/lodged.mjs", import.meta.url));

function showsHelp(node: string, ...options: string[]) {
  const { status, stdout, stderr } = spawnSync(node, [...options, lodged, "--help"], { encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""], node);
  assert.match(stdout, /^Usage: lodged /);
}

/** Loaded first, it makes this Node an old one for what comes after: by its version, and by a node:module of few names. */
const ageing = `
  import { registerHooks } from "node:module";
  Object.defineProperty(process.versions, "node", { value: "20.18.0" });
  process.execArgv.length = 0; // the Node that it hands over to is not to age
  const old = { url: "data:text/javascript,export const createRequire = 0", shortCircuit: true };
  registerHooks({ resolve: (name, context, next) => (name === "node:module" ? old : next(name, context)) });
`;

test("lodged starts on a Node as old as is promised", () => {
  showsHelp(process.execPath, "--import", `data:text/javascript,${encodeURIComponent(ageing)}`);
});

test("lodged starts on the Node that is on the PATH", (t) => {
  const node = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find((path) => existsSync(path));
  if (node) showsHelp(node);
  else t.diagnostic("there is none but the pinned one");
});
