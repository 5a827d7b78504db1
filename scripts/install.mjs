// Installs the dependencies when they are missing or older than package-lock.json. Runs on the system's Node (20 or
// newer) before every npm script, so it is plain JavaScript without dependencies. The dependencies include the Node
// that everything else runs on. A script named on the command line then runs on that Node, since the shell has already
// found the system's Node and would keep using it. Development packages, a third of the files, are only installed when
// a script needs them.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = `${root}node_modules/.lodge-installed`;
const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .digest("hex");
const quietly = ["--loglevel=error", "--no-audit", "--no-fund"];
const [installed, without] = (existsSync(stamp) ? readFileSync(stamp, "utf8") : "").split(" ");
const omitsDev = ["prestart", "preseed"].includes(process.env.npm_lifecycle_event);
// A server may be running on the installed packages. This adds the missing ones, while npm ci would first remove all.
const adds = installed === wanted && without !== undefined && !omitsDev;
const install = [...(adds ? ["install", "--no-save"] : ["ci"]), ...(omitsDev ? ["--omit=dev"] : []), ...quietly];

if (installed !== wanted || adds) {
  console.error("Installing dependencies (once; about 10 seconds) …");
  const run = installQuickly() ?? npm(install, "inherit");
  if (run.status !== 0) {
    console.error(
      `npm ${install[0]} failed${run.error ? `: ${run.error.message}` : ""}. Fix the error above, then run the command again.`,
    );
    process.exit(1);
  }
  if (!existsSync(`${root}node_modules/.bin/node`)) {
    console.error(
      `The dependencies contain no Node for ${process.platform}-${process.arch}. ` +
        "Supported: linux-x64, linux-arm64, darwin-x64, darwin-arm64, win32-x64; npm must not omit optional dependencies.",
    );
    process.exit(1);
  }
  writeFileSync(stamp, omitsDev ? `${wanted} without-dev` : wanted);
}

/**
 * package-lock.json names no registry, so npm would first look up every package, which takes 18 of 28 s of CPU. This
 * writes an npm-shrinkwrap.json, which takes precedence, with the usual addresses of packages and the same hashes.
 * Returns undefined if the registry uses other addresses or does not answer.
 */
function installQuickly() {
  const shrinkwrap = `${root}npm-shrinkwrap.json`;
  const remove = () => rmSync(shrinkwrap, { force: true });
  const ignore = () => {}; // Ctrl-C ends npm, and then this script
  process.on("SIGINT", ignore).on("SIGTERM", ignore);
  try {
    const [registry] = /^https?:\S+/m.exec(npm(["config", "get", "registry"], "ignore", "pipe").stdout ?? "") ?? [];
    if (!registry) return undefined;
    const lock = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8"));
    for (const [path, entry] of Object.entries(lock.packages)) {
      const name = entry.name ?? path.split("node_modules/").at(-1);
      if (!path.includes("node_modules/") || entry.link || entry.resolved || !entry.integrity) continue;
      const file = `${name.split("/").at(-1)}-${entry.version}.tgz`;
      entry.resolved = `${registry.replace(/\/$/, "")}/${name}/-/${file}`;
    }
    writeFileSync(shrinkwrap, JSON.stringify(lock));
    const run = npm(install, "ignore");
    return run.status === 0 || run.signal || run.status > 128 ? run : undefined;
  } finally {
    remove();
    process.off("SIGINT", ignore).off("SIGTERM", ignore);
  }
}

/** Runs npm on the system's Node, since the one in node_modules is about to be replaced. */
function npm(args, stderr, stdout = "ignore") {
  const node = process.env.npm_node_execpath ?? process.execPath;
  const cli = process.env.npm_execpath;
  const [command, ...before] = cli ? [node, cli] : ["npm"];
  return spawnSync(command, [...before, ...args], { cwd: root, encoding: "utf8", stdio: ["ignore", stdout, stderr] });
}

if (process.platform === "win32" && process.env.npm_lifecycle_event === "prestart") {
  console.error(
    "On Windows, Lodge needs an external PostgreSQL: set DATABASE_URL, then start it with npx lodged serve.",
  );
  process.exit(1);
}

const [script] = process.argv.slice(2);
if (script) {
  const run = spawnSync(`${root}node_modules/.bin/node`, [script], { cwd: root, stdio: "inherit" });
  process.exitCode = run.status ?? 1;
}
