import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generate } from "./generated-files.ts";
import { strangeWrites } from "./table-owners.ts";

// Everything that must hold of the sources. Runs all the checks, then fails if one of them did.
const root = fileURLToPath(new URL("..", import.meta.url));
const failed: string[] = [];

function run(name: string, program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1e8,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  report(name, status === 0, `${stdout}${stderr}`);
  return stdout;
}

function report(name: string, passed: boolean, output: string) {
  console.log(`${passed ? "ok  " : "FAIL"} ${name}`);
  if (passed) return;
  console.log(output);
  failed.push(name);
}

const bin = (path: string) => `${root}node_modules/${path}`;

run("types", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "."]);
run("types of the dashboard", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "apps/dashboard"]);
run("format and lint", bin("@biomejs/biome/bin/biome"), ["check", "--error-on-warnings", "."]);
const cruised = run("who may know whom", bin("dependency-cruiser/bin/dependency-cruiser.mjs"), [
  "--output-type",
  "json",
  "apps",
  "packages",
]);
const modules = readModuleCount(cruised);
report(
  "who may know whom: every module was read",
  modules >= 50,
  `dependency-cruiser read ${modules} modules; it needs TypeScript 6`,
);
run("nothing unused", bin("knip/bin/knip.js"), ["--no-progress"]);

const strange = await strangeWrites();
report("only its room writes a table", strange.length === 0, strange.join("\n"));

try {
  const drifted = (await generate()).filter((file) => file.drifted).map((file) => file.path);
  report(
    "generated files are up to date",
    drifted.length === 0,
    `Run npm run generate and commit ${drifted.join(", ")}`,
  );
} catch (error) {
  report("files can be generated", false, `${error}`);
}
run("OpenAPI", bin("@redocly/cli/bin/cli.js"), ["lint", "docs/openapi.json"]);

const unlocked = Object.entries(lockedPackages()).filter(([, entry]) => entry.resolved?.startsWith("http")).length;
report(
  "package-lock.json names no registry",
  unlocked === 0,
  `${unlocked} entries have a resolved address: npm install --omit-lockfile-registry-resolved`,
);

if (failed.length > 0) {
  console.log(`\nFailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

function readModuleCount(output: string): number {
  try {
    return (JSON.parse(output) as { summary: { totalCruised: number } }).summary.totalCruised;
  } catch {
    return 0;
  }
}

function lockedPackages(): Record<string, { resolved?: string }> {
  return JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")).packages;
}
