import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findTestFiles } from "./test-files.ts";

const files = [
  "apps/server/src/app.test.ts",
  "apps/server/src/tickets/move.test.ts",
  "apps/server/src/tickets/file/deep.test.ts",
  "apps/server/src/tickets/move.ts",
  "apps/server/src/boards/boards.test.ts",
  "apps/server/src/platform/http/web-app.test.ts",
  "apps/dashboard/test/tickets.test.ts",
  "apps/dashboard/test/tickets-moved.test.ts",
  "packages/sdk/src/send.test.ts",
];

test("a bare word names a room, wherever it has tests; a folder all below it; anything else is taken as it stands", async () => {
  await using tree = await makeTree();
  const find = (...words: string[]) => findTestFiles(words, tree.root);
  assert.deepEqual(find("tickets"), [
    "apps/dashboard/test/tickets-moved.test.ts",
    "apps/dashboard/test/tickets.test.ts",
    "apps/server/src/tickets/file/deep.test.ts",
    "apps/server/src/tickets/move.test.ts",
  ]);
  assert.deepEqual(find("sdk", "http"), [
    "packages/sdk/src/send.test.ts",
    "apps/server/src/platform/http/web-app.test.ts",
  ]);
  assert.deepEqual(find("platform"), ["apps/server/src/platform/http/web-app.test.ts"]);
  assert.deepEqual(find("apps/server/src/tickets/", "apps/server/src/app.test.ts"), [
    "apps/server/src/tickets/**/*.test.ts",
    "apps/server/src/app.test.ts",
  ]);
  assert.deepEqual(find("apps/**/move.test.ts"), ["apps/**/move.test.ts"]);
  assert.deepEqual(find(), ["{apps,packages,scripts}/**/*.test.ts"]);
});

test("a word that names nothing is refused with those that do", async () => {
  await using tree = await makeTree();
  assert.throws(() => findTestFiles(["tickets", "tikets"], tree.root), {
    message: [
      'No tests are called "tikets". There are those of:',
      "  the server: boards, http, platform, tickets",
      "  the dashboard: tickets, tickets-moved",
      "  packages: sdk",
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
