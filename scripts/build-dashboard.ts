import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

// Builds the dashboard when its sources are not those that the last build was made of.
const root = fileURLToPath(new URL("..", import.meta.url));
const dashboard = `${root}apps/dashboard`;
const stamp = `${dashboard}/dist.sha256`;
const sources = [
  "package-lock.json",
  "apps/dashboard/{index.html,vite.config.ts}",
  "apps/dashboard/src/**/*.*",
  "packages/contract/src/**/*.ts",
];

const wanted = await hashSources();
const built = existsSync(`${dashboard}/dist/index.html`) ? await readFile(stamp, "utf8").catch(() => "") : "";
if (built !== wanted) {
  console.error("Building the dashboard (once; a few seconds) …");
  await rm(stamp, { force: true }); // a build that is cut short is not taken for a whole one
  const { build } = await import("vite");
  await build({ configFile: `${dashboard}/vite.config.ts` });
  await writeFile(stamp, wanted);
}

async function hashSources(): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob(sources, { cwd: root })) paths.push(path);
  const hash = createHash("sha256");
  for (const path of paths.sort())
    hash
      .update(`${path}\0`)
      .update(await readFile(`${root}${path}`))
      .update("\0");
  return hash.digest("hex");
}
