import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";

// Runs before packages are checked, so it only imports Node's own modules.

const dashboardSources = [
  "package-lock.json",
  "apps/dashboard/{index.html,vite.config.ts}",
  "apps/dashboard/src/**/*.*",
  "packages/contract/src/**/*.ts",
  "apps/runner/{bundle.ts,package.json,src/**/*.ts}",
  "packages/sdk/{*.ts,LICENSE,README.md,package.json,src/**/*.ts}",
  "packages/cli/{bundle.ts,package.json,src/**/*.ts}",
];

/** The SHA-256 of the dashboard's sources below `root`. */
export async function hashDashboardSources(root: string): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob(dashboardSources, { cwd: root })) paths.push(path);
  const hash = createHash("sha256");
  for (const path of paths.sort()) {
    hash
      .update(`${path}\0`)
      .update(await readFile(`${root}${path}`))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Whether the dashboard was built from the current sources. */
export async function isDashboardBuilt(root: string): Promise<boolean> {
  const folder = `${root}apps/dashboard`;
  if (!existsSync(`${folder}/dist/index.html`)) return false;
  const built = await readFile(`${folder}/dist.sha256`, "utf8").catch(() => "");
  return built === (await hashDashboardSources(root));
}

/**
 * A message about installed packages or a dashboard that do not match the sources below `root`, and the command to run;
 * undefined if all match. Compares the packages with package-lock.json, like `scripts/install.mjs`.
 */
export async function describeStaleness(root: string, needsDashboard: boolean): Promise<string | undefined> {
  const lock = await readFile(`${root}package-lock.json`).catch(() => undefined);
  if (!lock) return undefined; // not a checkout but a packaged copy, which is complete
  const installed = await readFile(`${root}node_modules/.lodge-installed`, "utf8").catch(() => "");
  const stale = [
    installed.split(" ", 1)[0] !== createHash("sha256").update(lock).digest("hex") && "dependencies",
    needsDashboard && !(await isDashboardBuilt(root)) && "dashboard",
  ].filter((part) => part !== false);
  if (stale.length === 0) return undefined;
  return `The ${stale.join(" and the ")} in ${root} are not those of this release of Lodge. Run, as the owner of that folder:

  cd ${root} && npm run build

Then start Lodge again.`;
}
