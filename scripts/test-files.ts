import { globSync } from "node:fs";
import { basename } from "node:path";

/**
 * The test files that words name: a bare one is a room of the server, a page of the dashboard or a package, anything else
 * a file, a folder with all below it, or a pattern; all tests where there are no words. Throws where a word names nothing.
 */
export function findTestFiles(words: readonly string[], root: string): string[] {
  if (words.length === 0) return ["{apps,packages,scripts}/**/*.test.ts"];
  return words.flatMap((word) => {
    if (/[/.*]/.test(word)) return [/\.ts$|\*/.test(word) ? word : `${word.replace(/\/$/, "")}/**/*.test.ts`];
    const found = globSync(
      [
        `apps/server/src/${word}/**/*.test.ts`,
        `apps/server/src/platform/${word}/**/*.test.ts`,
        `apps/dashboard/test/${word}*.test.ts`,
        `packages/${word}/**/*.test.ts`,
      ],
      { cwd: root, exclude: ["**/node_modules"] },
    );
    if (found.length === 0) throw new Error(`No tests are called "${word}". There are those of:\n${listWords(root)}`);
    return found.sort();
  });
}

function listWords(root: string): string {
  const rooms = globSync("apps/server/src/**/*.test.ts", { cwd: root }).map((file) => file.split("/"));
  const server = rooms
    .filter(({ length }) => length > 4)
    .map(([, , , room = "", district = ""]) =>
      room === "platform" && !district.endsWith(".ts") ? [room, district] : [room],
    );
  const dashboard = globSync("apps/dashboard/test/*.test.ts", { cwd: root }).map((file) => basename(file, ".test.ts"));
  const packages = globSync("packages/*/**/*.test.ts", { cwd: root, exclude: ["**/node_modules"] }).map(
    (file) => file.split("/")[1] ?? "",
  );
  const line = (of: string, names: string[]) => `  ${of}: ${[...new Set(names)].sort().join(", ")}`;
  return [line("the server", server.flat()), line("the dashboard", dashboard), line("packages", packages)].join("\n");
}
