// Installs the dependencies when they are missing or older than package-lock.json.
// Runs on the system's Node (20 or newer) before every npm script, so it is plain JavaScript
// without dependencies; what it installs brings the Node that everything else runs on.
// A script named on the command line runs on that Node afterwards: a shell that has just found
// the system's Node would go on using it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${root}node_modules/.lodge-installed`;
const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .digest("hex");
const installed = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";

if (installed !== wanted) {
  console.error("Installing dependencies (once; about 20 seconds) …");
  // npm itself stays on the system's Node: the one below node_modules is about to be replaced.
  const node = process.env.npm_node_execpath ?? process.execPath;
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm ? [node, npm] : ["npm"];
  const run = spawnSync(command, [...args, "ci", "--loglevel=error", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (run.status !== 0) {
    console.error(
      `npm ci failed${run.error ? `: ${run.error.message}` : ""}. Mend what it says above, then run the command again.`,
    );
    process.exit(1);
  }
  if (!existsSync(`${root}node_modules/.bin/node`)) {
    console.error(
      `No Node for ${process.platform}-${process.arch} came with the dependencies. ` +
        "Supported: linux-x64, linux-arm64, darwin-x64, darwin-arm64, win32-x64; npm must not omit optional dependencies.",
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

if (process.platform === "win32" && process.env.npm_lifecycle_event === "prestart") {
  console.error(
    "On Windows Lodge needs a PostgreSQL of your own: set DATABASE_URL, then start it with npx lodged serve.",
  );
  process.exit(1);
}

const [script] = process.argv.slice(2);
if (script) {
  const run = spawnSync(`${root}node_modules/.bin/node`, [script], { cwd: root, stdio: "inherit" });
  process.exitCode = run.status ?? 1;
}
