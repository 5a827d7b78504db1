import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackage, packPackage } from "../packages/sdk/build-package.ts";
import { missingSections, missingTests, sectionsOf, strayScreenshots } from "./documents.ts";
import { checkGeneratedClient } from "./generated-client.ts";
import { generate } from "./generated-files.ts";
import { checkManifests } from "./manifests.ts";
import { type CruisedModule, dashboard, moduleCycles, server } from "./module-cycles.ts";
import { unplainTexts } from "./plain-english.ts";
import { checkSizes } from "./sizes.ts";
import { checkTableOwners } from "./table-owners.ts";

// Runs all checks of the sources, and then fails if one of them failed.
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

type Violation = { rule: { name: string }; from: string; to: string };

const bin = (path: string) => `${root}node_modules/${path}`;

run("types", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "."]);
run("types of the dashboard", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "apps/dashboard"]);
run("types of the runner", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "apps/runner"]);
run("types of the command", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "packages/cli"]);
run("types of the SDK", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "packages/sdk"]);
run("types of the SDK's tests", bin("typescript-7/bin/tsc"), ["--noEmit", "--project", "packages/sdk/test"]);
run("format and lint", bin("@biomejs/biome/bin/biome"), ["check", "--error-on-warnings", "."]);
const cruised = run("dependency rules", bin("dependency-cruiser/bin/dependency-cruiser.mjs"), [
  "--output-type",
  "json",
  "apps",
  "packages",
]);
const { modules, violations } = readCruise(cruised);
report("dependency rules: no rule is broken", violations.length === 0, violations.join("\n"));
const cruisedFiles = new Set(modules.map(({ source }) => source));
const unread = globSync("{apps,packages}/**/*.{ts,tsx}", { cwd: root, exclude: ["**/node_modules", "**/dist"] }).filter(
  (file) => !cruisedFiles.has(file),
);
report(
  "dependency rules: every module was read",
  unread.length === 0,
  `dependency-cruiser, which needs TypeScript 6, did not read ${unread.length}: ${unread.slice(0, 10).join(", ")}`,
);
const cycles = [server, dashboard].flatMap((house) => moduleCycles(modules, house));
report("modules and folders have no circular dependencies", cycles.length === 0, cycles.join("\n"));
run("nothing unused", bin("knip/bin/knip.js"), ["--no-progress"]);

const tooLong = checkSizes(root);
report("files and functions are short or listed in scripts/long-sources.ts", tooLong.length === 0, tooLong.join("\n"));

const { problems, filesRead } = await checkTableOwners();
report("only its module writes a table", problems.length === 0, problems.join("\n"));
const serverModules = modules.filter(({ source }) =>
  /^apps\/server\/src\/(?!testing\/).+(?<![.]test)[.]ts$/.test(source),
).length;
report(
  "only its module writes a table: every file was read",
  filesRead === serverModules,
  `${filesRead} of ${serverModules} files were read`,
);

const [interfaceDocument = "", contractDocument = "", ...documents] = [
  "docs/interface.md",
  "docs/contract.md",
  ...globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root }),
].map(readText);
const sections = { interface: sectionsOf(interfaceDocument), contract: sectionsOf(contractDocument) };
const cited = globSync(["{apps,packages}/**/*.{ts,tsx,sql}", "{bench,scripts}/*.ts", "{*.md,docs/**/*.md}"], {
  cwd: root,
  exclude: ["**/node_modules", "scripts/*.test.ts"],
}).flatMap((file) => missingSections(readText(file), sections).map((section) => `${file} cites ${section}`));
report("cited sections exist", cited.length === 0, cited.join("\n"));

const untested = missingTests(readText("docs/threat-model.md"), (path) =>
  existsSync(join(root, path)) ? readText(path) : undefined,
);
report("the tests of the threat model exist", untested.length === 0, untested.join("\n"));

const listed = spawnSync("git", ["ls-files", "docs/screenshots"], { cwd: root, encoding: "utf8" });
const stray = strayScreenshots(
  listed.stdout
    .split("\n")
    .filter(Boolean)
    .map((path) => basename(path)),
  documents,
);
report("documents show the committed screenshots", listed.status === 0 && stray.length === 0, stray.join("\n"));

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
const unplain = await unplainTexts();
report("documents and texts are in plain English", unplain.length === 0, unplain.join("\n"));

await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-sdk-"));
const dist = join(folder.path, "dist");
const tooLarge = (await buildPackage(dist)).filter(({ gzipBytes, gzipBytesMax }) => gzipBytes > gzipBytesMax);
report(
  "the SDK is small",
  tooLarge.length === 0,
  tooLarge.map(({ file, gzipBytes, gzipBytesMax }) => `${file}: ${gzipBytes} bytes of ${gzipBytesMax}`).join("\n"),
);
const archive = join(folder.path, "lodge-sdk.tgz");
await packPackage(dist, archive);
run("the SDK's package is sound", bin("publint/src/cli.js"), ["run", archive, "--strict"]);
// There are no types of what script elements load; CommonJS imports the package dynamically, as docs/sdk.md says.
const scripts = globSync("*.iife.js", { cwd: dist });
run("types of the SDK's package are found", bin("@arethetypeswrong/cli/dist/index.js"), [
  archive,
  ...["--profile", "esm-only", "--no-color", "--exclude-entrypoints", ...scripts],
]);
run("OpenAPI", bin("@redocly/cli/bin/cli.js"), ["lint", "docs/openapi.json"]);
const client = checkGeneratedClient(root);
report("a client can be made of the OpenAPI document", client === "", client);

const manifests = checkManifests(root);
report("Kubernetes, Compose and Lodge take the manifests of deploy/", manifests === "", manifests);

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

function readText(path: string): string {
  return readFileSync(`${root}${path}`, "utf8");
}

/** Parses the JSON of dependency-cruiser, which exits with 0 in this mode even for broken rules. */
function readCruise(output: string): { modules: CruisedModule[]; violations: string[] } {
  try {
    const { modules, summary } = JSON.parse(output) as {
      modules: CruisedModule[];
      summary: { violations: Violation[] };
    };
    return { modules, violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`) };
  } catch {
    return { modules: [], violations: [] }; // it printed the reason; the check of read modules then fails
  }
}

function lockedPackages(): Record<string, { resolved?: string }> {
  return JSON.parse(readText("package-lock.json")).packages;
}
