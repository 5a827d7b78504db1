import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import type { AppliedWorld, World } from "@lodge/contract/world";
import { stringify } from "yaml";
import { dumpDatabase } from "../../testing/dump-database.ts";
import { lodgedMain } from "../../testing/lodged-main.ts";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService();
const folder = await mkdtemp(join(tmpdir(), "lodge-apply-"));
after(async () => {
  await lodge[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const acme = (): World => ({
  organisation: { name: "Ácme", slug: `acme-${randomUUID()}` },
  members: [{ email: "ada@acme.test", name: "Ada 😀", role: "owner", password: "a long enough password" }],
  projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
  tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
});

/** Runs `lodged apply` as a process of its own. */
async function runApply(file: string, { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [lodgedMain(), "apply", file], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...lodge.env,
      LODGE_SECRET: "a secret that only this test knows, long",
      ...env,
    },
  });
  child.stdin.on("error", () => {}); // it may end without having read
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { exitCode: child.exitCode, stdout, stderr };
}

async function worldFile(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test("lodged apply reads JSON, and prints one JSON document and nothing else", async () => {
  const world = acme();
  const path = await worldFile("world.json", JSON.stringify(world, null, "\t"));
  const { exitCode, stdout, stderr } = await runApply(path);
  assert.deepEqual([exitCode, stderr], [0, ""]);
  const made = JSON.parse(stdout) as AppliedWorld;
  assert.equal((await lodge.fileTicket(made.tokens[0]?.secret, { title: "t" })).status, 201);
  const again = await lodge.apply(world);
  assert.deepEqual(again.organisation, made.organisation);
  assert.deepEqual(again.projects, made.projects);
});

test("lodged apply reads YAML, from a file or standard input", async () => {
  const world = acme();
  const fromFile = await runApply(await worldFile("world.yaml", stringify(world)));
  assert.deepEqual([fromFile.exitCode, fromFile.stderr], [0, ""]);
  const fromInput = await runApply("-", { input: `# a comment\n${stringify(world)}` });
  assert.deepEqual([fromInput.exitCode, fromInput.stderr], [0, ""]);
  const [made, again] = [fromFile, fromInput].map(({ stdout }) => JSON.parse(stdout) as AppliedWorld);
  assert.deepEqual(again, { ...made, tokens: made?.tokens.map((token) => ({ ...token, secret: null })) });
});

test("several concurrent lodged apply commands do not disturb each other", async () => {
  const path = await worldFile("shared.json", JSON.stringify(acme()));
  const runs = await Promise.all([runApply(path), runApply(path), runApply(path)]);
  for (const { exitCode, stderr } of runs) assert.deepEqual([exitCode, stderr], [0, ""]);
});

test("lodged apply reports an invalid file on standard error, and exits with 1", async () => {
  const before = await dumpDatabase(lodge.deps.pool);
  const files: [string, string | Buffer, RegExp][] = [
    ["unknown.yaml", "organisation: {name: A, slug: a, colour: red}", /\/organisation\/colour is not a known field/],
    ["empty.yaml", "", /^Cannot read .*empty\.yaml: it is empty$/m],
    ["blank.json", " \n", /^Cannot read .*blank\.json: it is empty$/m],
    ["comment.yaml", "# organisation: {name: A, slug: a}\n", /^Cannot read .*comment\.yaml: it is empty$/m],
    ["latin-1.yaml", Buffer.from("organisation: {name: Ácme, slug: a}", "latin1"), /latin-1\.yaml: it is not UTF-8$/m],
    ["utf-16.json", Buffer.from('\ufeff{"organisation": {}}', "utf16le"), /utf-16\.json: it is not UTF-8$/m],
    [
      "several.yaml",
      "organisation: {name: A, slug: a}\n---\nmembers: []",
      /several\.yaml: it holds several YAML documents/,
    ],
    ["list.json", "[]", /must be an object/],
    ["broken.yaml", "organisation: {name: A", /Cannot read .*broken\.yaml/],
    ["broken.json", '{"organisation": ', /Cannot read .*broken\.json/],
    ["twice.yaml", "organisation: {name: A, slug: a}\norganisation: {name: B, slug: b}", /Cannot read .*twice\.yaml/],
  ];
  for (const [name, content, expected] of files) {
    const { exitCode, stdout, stderr } = await runApply(await worldFile(name, content));
    assert.deepEqual([exitCode, stdout], [1, ""], name);
    assert.match(stderr, expected);
    assert.doesNotMatch(stderr, /^ +at /m, "no stack");
  }
  assert.deepEqual(await dumpDatabase(lodge.deps.pool), before);
});

test("lodged apply reports invalid standard input too, and accepts a byte order mark", async () => {
  const empty = await runApply("-");
  assert.deepEqual([empty.exitCode, empty.stderr], [1, "Cannot read standard input: it is empty\n"]);
  const marked = await runApply("-", { input: `\ufeff${JSON.stringify(acme())}` });
  assert.deepEqual([marked.exitCode, marked.stderr], [0, ""]);
});

test("lodged apply reports a missing file and invalid settings", async () => {
  const missing = await runApply(join(folder, "nowhere.yaml"));
  assert.deepEqual([missing.exitCode, missing.stdout], [1, ""]);
  assert.match(missing.stderr, /Cannot read .*nowhere\.yaml/);
  const path = await worldFile("right.json", JSON.stringify(acme()));
  const misset = await runApply(path, { env: { PORT: "x", LODGE_SECRET: "short" } });
  assert.deepEqual([misset.exitCode, misset.stdout], [1, ""]);
  assert.match(misset.stderr, /PORT .*\n.*LODGE_SECRET /);
});
