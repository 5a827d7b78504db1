import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import swagger from "@fastify/swagger";
import { Envelope } from "@lodge/contract/envelope";
import { buildApp } from "../apps/server/src/app.ts";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { readConfig } from "../apps/server/src/platform/config/config.ts";
import { openPool, queryBuilder } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/database/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { resolveHost } from "../apps/server/src/platform/outbound/outbound.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { openFileStore } from "../apps/server/src/platform/store/file-store.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A file that is made from the sources, and whether the one that is committed is still the same. */
export type GeneratedFile = { path: string; drifted: boolean; write: () => Promise<void> };

/** Makes every generated file anew, in memory. */
export async function generate(): Promise<GeneratedFile[]> {
  return [
    await compare("apps/server/src/platform/database/database.generated.ts", await databaseTypes()),
    await compare("docs/openapi.json", await openApiDocument()),
    await compare("docs/envelope.schema.json", envelopeSchema()),
  ];
}

async function compare(path: string, text: string): Promise<GeneratedFile> {
  const committed = await readFile(join(root, path), "utf8").catch(() => "");
  return { path, drifted: committed !== text, write: () => writeFile(join(root, path), text) };
}

/** The envelope of a report, for those who write a client of their own. */
function envelopeSchema(): string {
  const head = { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Lodge report envelope, version 1" };
  return `${JSON.stringify({ ...head, ...Envelope }, null, 2)}\n`;
}

/** The description of every public route. The server that makes it never listens and never asks its database. */
async function openApiDocument(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lodge-generate-"));
  const log = createLog("silent");
  const pool = openPool({ connectionString: "postgres://nobody@localhost/none" }, log);
  const urls = { base: "http://127.0.0.1:4080", ingest: "http://127.0.0.1:4080" };
  const store = await openFileStore(join(folder, "artifacts"));
  const deps = {
    config: readConfig({}),
    store,
    db: queryBuilder(pool),
    pool,
    clock: systemClock,
    log,
    disks: { areLow: () => false, requireRoom: () => {}, stop: () => {} },
    announce: () => {},
    announceJobs: () => {},
    resolveHost,
    secret: "",
    webAppDir: join(root, "none"),
    urls,
  };
  const app = buildApp(deps, (server) => server.register(swagger, { openapi: openApi }));
  await app.ready();
  const document = `${JSON.stringify(app.swagger(), null, 2)}\n`;
  await app.close();
  await pool.end();
  await rm(folder, { recursive: true });
  return document;
}

const openApi = {
  openapi: "3.1.0",
  info: {
    title: "Lodge",
    description: "Files tickets onto boards, and takes in reports with attachments.",
    version: "1",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "http://127.0.0.1:4080", description: "Lodge on this machine" }],
  components: {
    securitySchemes: {
      apiToken: {
        type: "http" as const,
        scheme: "bearer",
        description: "An API token; never ship it in an application.",
      },
      threadToken: { type: "http" as const, scheme: "bearer", description: "The token of a thread, of a receipt." },
      deviceToken: { type: "http" as const, scheme: "bearer", description: "The token of a device, of a receipt." },
      sdkKey: { type: "http" as const, scheme: "bearer", description: "An SDK key; publishable." },
      session: {
        type: "apiKey" as const,
        in: "cookie" as const,
        name: "lodge.session_token",
        description: "The session of the dashboard, set by POST /api/dashboard/session. Named __Secure-… over https.",
      },
    },
  },
};

/** The row types of a database that has just been migrated. */
async function databaseTypes(): Promise<string> {
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
    return await readFile(out, "utf8");
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
