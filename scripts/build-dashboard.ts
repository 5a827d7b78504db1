import { rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { hashDashboardSources, isDashboardBuilt } from "../apps/server/src/platform/installation.ts";

// Builds the dashboard if its sources changed since the last build.
const root = fileURLToPath(new URL("..", import.meta.url));
const dashboard = `${root}apps/dashboard`;
const stamp = `${dashboard}/dist.sha256`;

if (!(await isDashboardBuilt(root))) {
  console.error("Building the dashboard (once; a few seconds) …");
  const sources = await hashDashboardSources(root);
  await rm(stamp, { force: true }); // so that an interrupted build does not count as complete
  const { build } = await import("vite");
  const { bundleCli } = await import("../packages/cli/bundle.ts");
  await build({ configFile: `${dashboard}/vite.config.ts` });
  const { bundleRunner } = await import("../apps/runner/bundle.ts");
  const { writeHandedOut } = await import("../packages/sdk/hand-out.ts");
  // The server serves these files, so that their version matches.
  await bundleCli(`${dashboard}/dist/lodge.mjs`);
  await bundleRunner(`${dashboard}/dist/lodge-runner.mjs`);
  await writeHandedOut(`${dashboard}/dist/sdk`);
  await writeFile(stamp, sources);
}
