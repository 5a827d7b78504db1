import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findTestFiles, longest, slowFiles } from "./test-files.ts";

const files = [
  "apps/server/src/app.test.ts",
  "apps/server/src/board/tickets/move.test.ts",
  "apps/server/src/board/tickets/file/deep.test.ts",
  "apps/server/src/board/tickets/move.ts",
  "apps/server/src/board/boards/boards.test.ts",
  "apps/server/src/platform/http/web-app.test.ts",
  "apps/dashboard/test/tickets.test.ts",
  "apps/dashboard/test/tickets-moved.test.ts",
  "packages/sdk/src/send.test.ts",
  "apps/runner/test/runner.test.ts",
];

test("a word selects the tests of a module, a folder those below it, and a pattern those that match", async () => {
  await using tree = await makeTree();
  const find = (...words: string[]) => findTestFiles(words, tree.root);
  assert.deepEqual(find("tickets"), [
    "apps/dashboard/test/tickets-moved.test.ts",
    "apps/dashboard/test/tickets.test.ts",
    "apps/server/src/board/tickets/file/deep.test.ts",
    "apps/server/src/board/tickets/move.test.ts",
  ]);
  assert.deepEqual(find("sdk", "http"), [
    "apps/server/src/platform/http/web-app.test.ts",
    "packages/sdk/src/send.test.ts",
  ]);
  assert.deepEqual(find("platform"), ["apps/server/src/platform/http/web-app.test.ts"]);
  assert.deepEqual(find("apps/server/src/board/tickets/", "apps/server/src/app.test.ts"), [
    "apps/server/src/app.test.ts",
    "apps/server/src/board/tickets/file/deep.test.ts",
    "apps/server/src/board/tickets/move.test.ts",
  ]);
  assert.deepEqual(find("apps/**/move.test.ts"), ["apps/server/src/board/tickets/move.test.ts"]);
});

test("each file has a tier, listed files exist, and a named file runs in any tier", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const slow = findTestFiles([], root, "slow");
  const fast = findTestFiles([], root, "fast");
  const inBoth = slow.filter((file) => fast.includes(file));
  assert.deepEqual([...inBoth, ...slowFiles].sort(), slow.toSorted());
  assert.ok(inBoth.includes("apps/server/src/serve.test.ts"), "it has slow and fast tests");
  assert.ok(slowFiles.every((file) => !fast.includes(file)));
  assert.deepEqual(
    longest.filter((file) => !slow.includes(file) && !fast.includes(file)),
    [],
  );
  assert.deepEqual(findTestFiles(slowFiles.slice(0, 1), root), slowFiles.slice(0, 1));
});

test("an unknown word is refused with a list of the known ones", async () => {
  await using tree = await makeTree();
  assert.throws(() => findTestFiles(["tickets", "tikets"], tree.root), {
    message: [
      'No tests are called "tikets". There are those of:',
      "  the server: board, boards, http, platform, tickets",
      "  the dashboard: tickets, tickets-moved",
      "  the runner and packages: runner, sdk",
    ].join("\n"),
  });
});

async function makeTree() {
  const root = await mkdtemp(join(tmpdir(), "lodge-tree-"));
  for (const file of files) {
    await mkdir(join(root, dirname(file)), { recursive: true });
    await writeFile(join(root, file), "");
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}
