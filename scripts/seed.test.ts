import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { livelyPeople } from "../apps/dashboard/test/lively-world.ts";
import { copyModules } from "../apps/server/src/testing/copy-modules.ts";
import { makeHome } from "../apps/server/src/testing/run-lodged.ts";
import { startService } from "../apps/server/src/testing/start-service.ts";
import { until } from "../apps/server/src/testing/until.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = fileURLToPath(new URL("seed.ts", import.meta.url));

test("npm run seed fills a fresh clone, and a second run says that it is done", async () => {
  await using home = await makeHome("clone/data"); // the data directory of a clone
  const clone = join(home.folder, "clone");
  const files = execFileSync("git", ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  for (const path of files.toString().split("\0")) {
    if (path) await cp(join(root, path), join(clone, path)).catch(() => {}); // a deletion may not be committed yet
  }
  await copyModules(root, clone);
  const stamp = join(clone, "node_modules/.lodge-installed");
  await rm(stamp, { force: true }); // it may be a link to the file of this checkout
  const lock = await readFile(join(clone, "package-lock.json"));
  await writeFile(stamp, createHash("sha256").update(lock).digest("hex"));

  const path = (process.env.PATH ?? "").split(":").filter((entry) => !entry.includes("node_modules"));
  const env = { PATH: path.join(":"), HOME: process.env.HOME };
  const seed = () => spawnSync("npm", ["run", "seed"], { cwd: clone, encoding: "utf8", env });
  const first = seed();
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stdout, /The organisation "acme" was created\..*Sign in {5}ada@acme\.test/s);
  const second = seed();
  assert.equal(second.status, 0, second.stderr);
  assert.match(second.stdout, /The organisation "acme" already exists\./);
});

test("after a killed seed, the next one starts over and creates the world once", async () => {
  await using lodge = await startService();
  await using home = await makeHome();
  const { db } = lodge.deps;
  const seed = () => home.run([], { ...lodge.env, LODGE_SECRET: lodge.deps.config.secret ?? "" }, { main });
  const slugs = async () => {
    const found = await db.selectFrom("organisations").select("slug").orderBy("slug").execute();
    return found.map(({ slug }) => slug);
  };
  const countOf = async (table: "users" | "tickets" | "events") => {
    const { count } = await db.selectFrom(table).select(db.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
    return Number(count);
  };
  const cut = seed();
  await until(async () => (await countOf("events")) > 2);
  cut.kill("SIGKILL");
  await cut.ended;
  assert.deepEqual(await slugs(), ["acme-being-seeded", "umbra-being-seeded"]);

  const made = await seed().ended;
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, /The organisation "acme" was created\./);
  assert.deepEqual(await slugs(), ["acme", "umbra"]);
  assert.equal(await countOf("users"), livelyPeople.length + 2, "the members and the agents of both organisations");
  const counts = [await countOf("tickets"), await countOf("events")];

  const again = await seed().ended;
  assert.deepEqual([again.code, again.stderr], [0, ""]);
  assert.match(again.stdout, /already exists/);
  assert.deepEqual([await countOf("tickets"), await countOf("events")], counts);
});

test("a stopped seed prints one sentence and leaves nothing behind", async () => {
  await using lodge = await startService();
  await using home = await makeHome();
  const { db } = lodge.deps;
  const seed = home.run([], { ...lodge.env, LODGE_SECRET: lodge.deps.config.secret ?? "" }, { main });
  await until(async () => (await db.selectFrom("organisations").select("id").execute()).length > 0);
  seed.kill("SIGTERM");
  const { code, stderr } = await seed.ended;
  assert.equal(code, 1);
  assert.match(stderr, /^The seed was stopped and left nothing behind: .*\n$/);
  assert.deepEqual(await db.selectFrom("organisations").select("id").execute(), []);
  assert.deepEqual(await db.selectFrom("users").select("id").execute(), []);
});

test("an existing organisation with the seed's name is not changed", async () => {
  await using lodge = await startService();
  await using home = await makeHome();
  await lodge.apply({ organisation: { name: "Acme", slug: "acme" } });
  const seed = home.run([], { ...lodge.env, LODGE_SECRET: lodge.deps.config.secret ?? "" }, { main });
  const { code, stderr } = await seed.ended;
  assert.equal(code, 1);
  assert.match(stderr, /^There is already an organisation "acme" that is not from a seed\. Set LODGE_DATA_DIR/);
});
