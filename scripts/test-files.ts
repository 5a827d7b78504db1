import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The files of `npm run test:slow`, which kill, upgrade, wait or use a second browser. It also runs files with a
 * `slowTest`. `npm test` runs all other files.
 */
export const slowFiles = [
  "apps/server/src/testing/upgrade.test.ts",
  "apps/dashboard/test/accessibility.test.ts",
  "apps/server/src/platform/postgres/postgres-user.test.ts",
  "apps/server/src/operate/backup/backup.test.ts",
  "apps/server/src/inbox/reports/crash.test.ts",
  "apps/server/src/inbox/reports/hostile.test.ts",
  "apps/server/src/inbox/sentry/hostile.test.ts",
  "apps/server/src/testing/crash.test.ts",
  "apps/dashboard/test/firefox.test.ts",
  "packages/sdk/test/firefox.test.ts",
  "packages/sdk/test/sentry-firefox.test.ts",
  "apps/server/src/testing/cluster-deaths.test.ts",
  "apps/server/src/testing/chaos.test.ts",
  "apps/server/src/testing/failover.test.ts",
  "apps/server/src/testing/pooler.test.ts",
  "apps/runner/test/crash.test.ts",
  "apps/server/src/testing/budget.test.ts",
  "apps/server/src/testing/systemd-unit.test.ts",
  "scripts/dev.test.ts",
  "scripts/seed.test.ts",
];

/** The longest files, which start first, so that the run does not end with a single long one. */
export const longest = [
  "apps/server/src/testing/upgrade.test.ts",
  "apps/dashboard/test/accessibility.test.ts",
  "apps/server/src/operate/cells/cells.test.ts",
  "apps/server/src/serve.test.ts",
  "apps/server/src/platform/postgres/postgres-user.test.ts",
  "apps/runner/test/runner.test.ts",
  "packages/sdk/test/browser.test.ts",
  "apps/server/src/worker.test.ts",
  "apps/server/src/inbox/reports/wire.test.ts",
  "apps/dashboard/test/many-cards.test.ts",
  "apps/server/src/inbox/reports/crash.test.ts",
  "apps/server/src/testing/crash.test.ts",
  "apps/server/src/cluster.test.ts",
  "apps/server/src/command-line.test.ts",
  "apps/dashboard/test/panel.test.ts",
  "apps/server/src/testing/outage.test.ts",
  "apps/server/src/operate/backup/backup.test.ts",
  "apps/server/src/inbox/reports/hostile.test.ts",
  "packages/sdk/test/widget.test.ts",
  "apps/server/src/people/access/access.test.ts",
  "apps/dashboard/test/firefox.test.ts",
  "apps/server/src/testing/chaos.test.ts",
  "apps/server/src/inbox/deliveries/commands.test.ts",
  "apps/dashboard/test/subscribers.test.ts",
  "apps/server/src/testing/failover.test.ts",
  "apps/dashboard/test/access.test.ts",
  "apps/server/src/inbox/reports/fuzz.test.ts",
  "apps/runner/test/crash.test.ts",
  "apps/server/src/inbox/deliveries/deliveries.test.ts",
  "apps/server/src/inbox/source-maps/source-maps.test.ts",
  "apps/dashboard/test/reports.test.ts",
  "apps/server/src/inbox/replies/replies.test.ts",
  "apps/server/src/testing/cursors.test.ts",
  "apps/dashboard/test/board.test.ts",
  "apps/server/src/platform/store/store.test.ts",
  "apps/server/src/people/installs/installs.test.ts",
  "packages/cli/test/lodge.test.ts",
  "apps/server/src/board/boards/boards.test.ts",
  "apps/server/src/inbox/reports/sizes.test.ts",
  "apps/server/src/both/retention/retention.test.ts",
  "apps/server/src/inbox/reports/rate-limits.test.ts",
];

/**
 * The test files that words select, longest first. A bare word is a module or wing of the server, a page of the
 * dashboard, the runner or a package; others are a file, a folder or a pattern. Without words, all files of the tier; a
 * file with both slow and fast tests is in both. Throws for an unknown word.
 */
export function findTestFiles(words: readonly string[], root: string, tier: "fast" | "slow" = "fast"): string[] {
  const find = (patterns: string | string[]) => globSync(patterns, { cwd: root, exclude: ["**/node_modules"] });
  const found =
    words.length === 0
      ? find("{apps,packages,scripts}/**/*.test.ts").filter((file) => isInTier(file, root, tier))
      : words.flatMap((word) => {
          const named = find(patternsOf(word));
          if (named.length > 0) return named;
          throw new Error(`No tests are called "${word}". There are those of:\n${listWords(root)}`);
        });
  return [...new Set([...longest.filter((file) => found.includes(file)), ...found.sort()])];
}

function isInTier(file: string, root: string, tier: "fast" | "slow"): boolean {
  if (tier === "fast") return !slowFiles.includes(file);
  return slowFiles.includes(file) || /^ *slowTest\(/m.test(readFileSync(join(root, file), "utf8"));
}

function patternsOf(word: string): string | string[] {
  if (/\.ts$|\*/.test(word)) return word;
  if (/[/.]/.test(word)) return `${word.replace(/\/$/, "")}/**/*.test.ts`;
  return [
    `apps/server/src/${word}/**/*.test.ts`,
    `apps/server/src/*/${word}/**/*.test.ts`,
    `apps/${word}/test/**/*.test.ts`,
    `apps/dashboard/test/${word}*.test.ts`,
    `packages/${word}/**/*.test.ts`,
  ];
}

function listWords(root: string): string {
  const server = globSync("apps/server/src/*/**/*.test.ts", { cwd: root }).flatMap((file) =>
    dirname(file).split("/").slice(3, 5),
  );
  const dashboard = globSync("apps/dashboard/test/*.test.ts", { cwd: root }).map((file) => basename(file, ".test.ts"));
  const packages = globSync(["packages/*/**/*.test.ts", "apps/runner/test/*.test.ts"], {
    cwd: root,
    exclude: ["**/node_modules"],
  }).map((file) => file.split("/")[1] ?? "");
  const line = (of: string, names: string[]) => `  ${of}: ${[...new Set(names)].sort().join(", ")}`;
  return [line("the server", server), line("the dashboard", dashboard), line("the runner and packages", packages)].join(
    "\n",
  );
}
