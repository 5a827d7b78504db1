import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { copyModules } from "./copy-modules.ts";
import { loadDataDirectory } from "./load-data-directory.ts";
import { makeHome } from "./run-lodged.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8", maxBuffer: 1e9 });

/** Runs a command as an operator would. npm is the system's, whatever Node runs this test. */
function runIn(folder: string, command: string, ...args: string[]) {
  const path = (process.env.PATH ?? "").split(":").filter((entry) => !entry.includes("node_modules"));
  const env = { PATH: path.join(":"), HOME: process.env.HOME, npm_config_cache: process.env.npm_config_cache };
  const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8", env });
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stderr}`);
}

// npm ci takes a minute, and many minutes on a busy machine.
const timeout = 1_200_000;

test("an upgrade by the documented steps keeps all data, and is refused if the build was skipped", {
  timeout,
}, async () => {
  await using home = await makeHome();
  const { token, ticket } = await loadDataDirectory("0.1.0", home.dataDir);
  const folder = join(home.folder, "lodge");
  const as = { node: join(folder, "node_modules/.bin/node"), main: join(folder, "apps/server/bin/lodged.mjs") };

  // Like git pull, replace the sources and keep the installed and built files.
  await mkdir(folder);
  await copyModules(root, folder);
  await rm(join(folder, "node_modules/.lodge-installed"), { force: true }); // it may be a link to this Lodge's file
  await writeFile(join(folder, "node_modules/.lodge-installed"), "another release");
  for (const path of git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")) {
    if (path) await cp(join(root, path), join(folder, path)).catch(() => {}); // deleted, but not committed yet
  }
  const tooEarly = await home.run(["serve"], {}, as).ended;
  assert.equal(tooEarly.code, 1);
  assert.match(tooEarly.stderr, /dependencies and the dashboard in .* are not those of this release.*npm run build/s);
  runIn(folder, "npm", "run", "build");
  const server = await home.serve({}, as);
  const answer = await fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": "before the upgrade",
    },
    body: '{"title":"Filed before the upgrade"}',
  });
  assert.deepEqual(
    [answer.status, await answer.text()],
    [201, ticket],
    "the stored response to the ticket is returned",
  );
  const page = await fetch(server.url);
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  server.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
});
