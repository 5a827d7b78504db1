import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, chown, mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { copyModules } from "../../testing/copy-modules.ts";
import { type Home, makeHome, processesNaming, type RunAs } from "../../testing/run-lodged.ts";
import { locatePostgres } from "./embedded-postgres.ts";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const isRoot = process.getuid?.() === 0;
const withoutUnshare = { PATH: "/nonexistent" };
const ada = { uid: 41_234, gid: 41_234 };

test("PostgreSQL starts in a data directory below a folder of mode 700", async () => {
  await using home = await makeHome();
  assert.equal((await stat(home.folder)).mode & 0o777, 0o700);
  await startAndStop(home);
});

test("PostgreSQL starts in a data directory whose path is too long for its socket", async () => {
  await using home = await makeHome("a folder whose name is long/and another one/".repeat(3));
  await startAndStop(home);
  await rm(locatePostgres(home.dataDir).address.host, { recursive: true });
});

// Only root can switch users. For other users, all other tests already run as an ordinary user.
if (isRoot) {
  const copy = await openCopy();

  for (const [name, who] of [
    ["an ordinary user", { uid: 65_534, gid: 65_534 }],
    ["an ordinary user without a name, as in a container", ada],
  ] as const) {
    test(`PostgreSQL starts as ${name}`, async () => {
      await using home = await makeHome();
      await chown(home.folder, who.uid, who.gid);
      await startAndStop(home, {}, { ...who, ...copy });
      assert.equal((await stat(join(home.dataDir, "postgres"))).uid, who.uid);
    });
  }

  test("PostgreSQL does not start as a user without a name if there are no user namespaces", async () => {
    await using home = await makeHome();
    await chown(home.folder, ada.uid, ada.gid);
    const { code, stderr } = await home.run(["serve"], withoutUnshare, { ...ada, ...copy }).ended;
    assert.equal(code, 1);
    assert.match(stderr, /^initdb refuses to make a database for the user 41234, which has no name [^\n]*\n$/);
  });

  test("root can start the database of an ordinary user, and another ordinary user cannot", async () => {
    await using home = await makeHome();
    await chown(home.folder, ada.uid, ada.gid);
    await startAndStop(home, {}, { ...ada, ...copy });
    await startAndStop(home, {}, copy);
    assert.equal((await stat(join(home.dataDir, "postgres"))).uid, ada.uid);
    await chmod(home.folder, 0o755);
    await chmod(home.dataDir, 0o777);
    const other = await home.run(["serve"], {}, { uid: 41_235, gid: 41_235, ...copy }).ended;
    assert.equal(other.code, 1);
    assert.match(other.stderr, /^\S+ belongs to the user 41234, but Lodge runs as 41235\. [^\n]*\n$/);
  });

  test("without user namespaces, root can start the database only in open folders", async () => {
    await using home = await makeHome();
    await startAndStop(home, {}, copy);
    const closed = await home.run(["serve"], withoutUnshare, copy).ended;
    assert.equal(closed.code, 1);
    assert.match(closed.stderr, /^PostgreSQL refuses to run as root, and as the user 65534 it cannot reach [^\n]*\n$/);
    assert.ok(closed.stderr.includes(home.folder));
    await chmod(home.folder, 0o755);
    await startAndStop(home, withoutUnshare, copy);
    assert.equal((await stat(join(home.dataDir, "postgres"))).uid, 65_534);
    await startAndStop(home, {}, copy);
  });
}

async function startAndStop(home: Home, env?: Record<string, string>, as?: RunAs) {
  const lodged = await home.serve(env, as);
  assert.equal((await fetch(`${lodged.url}/readyz`)).status, 200);
  lodged.kill("SIGTERM");
  const { code, stderr } = await lodged.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.deepEqual(processesNaming(home.dataDir), []);
}

/** The program in a place that an ordinary user can access: this checkout, or else a copy of it. */
async function openCopy(): Promise<RunAs> {
  const program = (folder: string) => ({
    main: join(folder, "apps/server/src/main.ts"),
    node: join(folder, "node_modules/.bin/node"),
  });
  const { main, node } = program(root);
  const reached = [main, node].every((path) => spawnSync("test", ["-r", path], ada).status === 0);
  if (reached) return program(root);
  const folder = await mkdtemp("/tmp/lodge-copy-"); // the system's temporary folder may be in memory, where hard links to the checkout fail
  await chmod(folder, 0o755);
  after(() => rm(folder, { recursive: true, force: true }));
  await copyModules(root, folder);
  for (const part of ["package.json", "apps", "packages"]) {
    const copy = (how: string) => spawnSync("cp", [how, join(root, part), folder]).status === 0;
    assert.ok(copy("-al") || copy("-a"), "neither hard links nor copies are possible");
  }
  return program(folder);
}
