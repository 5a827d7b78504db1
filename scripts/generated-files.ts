import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Envelope } from "@lodge/contract/envelope";
import { operations } from "@lodge/contract/operations";
import { errorsMarkdown } from "../apps/server/src/operate/reference/error-pages.ts";
import { openApiDocument } from "../apps/server/src/operate/reference/openapi.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { operationsTable } from "./operations-table.ts";
import { pinnedIntegrations } from "./pinned-integrations.ts";
import { printJson } from "./print-json.ts";
import { checkedStatements } from "./statements.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A file that is made from the sources, and whether the one that is committed is still the same. */
export type GeneratedFile = { path: string; drifted: boolean; write: () => Promise<void> };

/** Makes every generated file anew, in memory. */
export async function generate(): Promise<GeneratedFile[]> {
  const { types, statements } = await readDatabase();
  return [
    await compare("apps/server/src/platform/database/database.generated.ts", types),
    await compare("docs/openapi.json", `${printJson(openApiDocument())}\n`),
    await compare("docs/operations.md", operationsTable()),
    await compare("docs/errors.md", errorsMarkdown()),
    await compare("docs/envelope.schema.json", envelopeSchema()),
    await compare("packages/contract/src/calls.generated.ts", calls()),
    ...(await Promise.all(Array.from(await pinnedIntegrations(), ([path, text]) => compare(path, text)))),
    ...(await compareFolder("docs/statements", statements)),
  ];
}

async function compare(path: string, text: string): Promise<GeneratedFile> {
  const committed = await readFile(join(root, path), "utf8").catch(() => "");
  return { path, drifted: committed !== text, write: () => writeFile(join(root, path), text) };
}

/** The same for a folder, in which no other file may lie. */
async function compareFolder(folder: string, texts: ReadonlyMap<string, string>): Promise<GeneratedFile[]> {
  await mkdir(join(root, folder), { recursive: true });
  const stale = (await readdir(join(root, folder))).filter((name) => !texts.has(name));
  return [
    ...(await Promise.all(Array.from(texts, ([name, text]) => compare(`${folder}/${name}`, text)))),
    ...stale.map((name) => ({ path: `${folder}/${name}`, drifted: true, write: () => rm(join(root, folder, name)) })),
  ];
}

/** The envelope of a report, for those who write a client of their own. */
function envelopeSchema(): string {
  const head = { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Lodge report envelope, version 1" };
  return `${printJson({ ...head, ...Envelope })}\n`;
}

/**
 * The facts from a newly migrated database: its row types, and that every named statement returns what it declares.
 * Throws where one does not.
 */
async function readDatabase(): Promise<{ types: string; statements: ReadonlyMap<string, string> }> {
  const folder = await mkdtemp(join(tmpdir(), "lodge-generate-"));
  const postgres = await startEmbeddedPostgres(folder);
  try {
    const { host, user, database } = postgres.address;
    const pool = openPool(postgres.address, createLog("silent"));
    await migrate(pool);
    await pool.end();
    const out = join(folder, "types.ts");
    const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
    const run = spawnSync(
      process.execPath,
      [
        ...[join(root, "node_modules/kysely-codegen/dist/cli/bin.js"), "--dialect", "postgres", "--url", url],
        ...[
          "--out-file",
          out,
          "--type-only-imports",
          "--date-parser",
          "string",
          "--exclude-pattern",
          "{*schema_migrations,graphile_worker.*}",
          "--runtime-enums",
          "false",
          "--default-schema",
          "public",
        ],
      ],
      { encoding: "utf8", cwd: folder },
    );
    if (run.status !== 0) throw new Error(`kysely-codegen failed: ${run.stderr}${run.stdout}`);
    return { types: await readFile(out, "utf8"), statements: await checkedStatements(postgres.address) };
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The parts of each operation that a client needs to call it, without the schemas: a web page of 200 kB has no room
 * for those.
 */
function calls(): string {
  const modules = [...new Set(operations.map(({ module }) => module))].sort();
  const aliasOf = (module: string) => module.replace(/\/(\w)/g, (_, letter: string) => letter.toUpperCase());
  const imports = modules.map((module) => `import type * as ${aliasOf(module)} from "./${module}.ts";`);
  const sorted = operations.toSorted((a, b) => (a.operation.id < b.operation.id ? -1 : 1));
  const constants = sorted.map(({ operation: { id, method, path, staleAfter, summary }, module }) => {
    const stale = staleAfter ? `, ${JSON.stringify(staleAfter)}` : "";
    return `/** ${summary}. */\nexport const ${id} = /* @__PURE__ */ call<typeof ${aliasOf(module)}.${id}>("${id}", "${method}", "${path}"${stale});`;
  });
  const head = "// Made by npm run generate from the operations of the contract.";
  return `${head}\nimport { call } from "./call.ts";\n${imports.join("\n")}\n\n${constants.join("\n")}\n`;
}
