import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { copyModules } from "./copy-modules.ts";
import { makeHome } from "./run-lodged.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "buffer", maxBuffer: 1e9 });

/** What an operator does who is told to run it. npm is the system's, whatever Node runs this test. */
function runIn(folder: string, command: string, ...args: string[]) {
  const path = (process.env.PATH ?? "").split(":").filter((entry) => !entry.includes("node_modules"));
  const env = { PATH: path.join(":"), HOME: process.env.HOME, npm_config_cache: process.env.npm_config_cache };
  const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8", env });
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stderr}`);
}

/** Has the dependencies of this Lodge, which hold those of an older one, stand as what was installed for it. */
async function pretendInstalled(folder: string) {
  await copyModules(root, folder);
  const stamp = join(folder, "node_modules/.lodge-installed");
  await rm(stamp, { force: true }); // it may be a link to the file of this Lodge
  await writeFile(
    stamp,
    createHash("sha256")
      .update(await readFile(join(folder, "package-lock.json")))
      .digest("hex"),
  );
}

// npm ci takes a minute or more where the machine is busy.
const timeout = 600_000;

test("an upgrade as the docs say it keeps what there was, and is refused where its build was left out", {
  timeout,
}, async () => {
  await using home = await makeHome();
  const folder = join(home.folder, "lodge");
  const as = { node: join(folder, "node_modules/.bin/node"), main: join(folder, "apps/server/bin/lodged.mjs") };
  const world = {
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  };

  await mkdir(folder);
  const archive = git("archive", "--format=tar", "HEAD");
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  await pretendInstalled(folder);
  const file = join(home.folder, "world.json");
  await writeFile(file, JSON.stringify(world));
  const { stdout } = await home.run(["apply", file], {}, as).ended;
  const secret = JSON.parse(stdout).tokens[0].secret as string;
  const fileTicket = (url: string) =>
    fetch(`${url}/api/v1/tickets`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "idempotency-key": "before the upgrade",
      },
      body: '{"title":"t"}',
    }).then(async (answer) => ({ status: answer.status, body: await answer.text() }));
  const older = await home.serve({}, as);
  const filed = await fileTicket(older.url);
  assert.equal(filed.status, 201);
  older.kill("SIGTERM");
  await older.ended;

  // git pull: the sources are replaced, what was installed and built stays.
  for (const entry of await readdir(folder)) {
    if (entry !== "node_modules") await rm(join(folder, entry), { recursive: true });
  }
  for (const path of git("ls-files", "-z", "--cached", "--others", "--exclude-standard").toString().split("\0")) {
    if (path) await cp(join(root, path), join(folder, path)).catch(() => {}); // deleted, and not committed yet
  }
  await rm(join(folder, "node_modules/.lodge-installed")); // what is installed is another release's
  const tooEarly = await home.run(["serve"], {}, as).ended;
  assert.equal(tooEarly.code, 1);
  assert.match(tooEarly.stderr, /dependencies and the dashboard in .* are not those of this release.*npm run build/s);
  runIn(folder, "npm", "run", "build");
  const newer = await home.serve({}, as);
  assert.deepEqual(await fileTicket(newer.url), filed, "the ticket is there, and replayed");
  const page = await fetch(newer.url);
  assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  newer.kill("SIGTERM");
  assert.equal((await newer.ended).code, 0);
});
