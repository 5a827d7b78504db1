import { mkdtempDisposable, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { beginTotp, confirmTotp } from "@lodge/contract/calls.generated";
import pg from "pg";
import { livelyPeople, makeLivelyWorld } from "../apps/dashboard/test/lively-world.ts";
import { readConfig } from "../apps/server/src/platform/config/config.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { startServer } from "../apps/server/src/serve.ts";
import { codeOf } from "../apps/server/src/testing/authenticator.ts";
import { password, signedIn } from "../apps/server/src/testing/dashboard-client.ts";
import type { SavedDataDirectory } from "../apps/server/src/testing/load-data-directory.ts";
import { clientOf } from "../apps/server/src/testing/start-service.ts";
import { submitReport } from "../apps/server/src/testing/submit-report.ts";

// node scripts/save-data-directory.ts 0.1.0: saves a data directory of this version for the upgrade tests: the
// statements that created its schema, its rows and its files. A saved directory is never saved again
// (docs/releasing.md).
const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("Give the version as the argument, such as 0.1.0.");
const out = fileURLToPath(new URL(`../apps/server/src/testing/data-${version}.json.gz`, import.meta.url));

await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-save-"));
const dataDir = join(folder.path, "data");
const postgres = await startEmbeddedPostgres(dataDir);
try {
  const schema = await recordSchema();
  const known = await fillDatabase();
  const saved: SavedDataDirectory = { known, statements: [...schema, ...(await saveRows())], files: await saveFiles() };
  await writeFile(out, gzipSync(JSON.stringify(saved), { level: 9 }));
  console.log(`${relative(process.cwd(), out)}: ${(await stat(out)).size} bytes`);
} finally {
  await postgres.stop();
}

/** Migrates the empty database, and returns every statement that changed its schema, in order. */
async function recordSchema(): Promise<string[]> {
  const statements: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function record(this: pg.Client, ...asked: Parameters<typeof query>) {
    const [config] = asked as unknown[];
    const text = typeof config === "string" ? config : ((config as pg.QueryConfig).text ?? "");
    if (/^\s*(?:--[^\n]*\n\s*)*(?:create|alter|drop|comment|do|grant)\b/i.test(text)) statements.push(text);
    return query.apply(this, asked);
  } as typeof query;
  try {
    const pool = openPool(postgres.address, createLog("silent"), 2);
    await migrate(pool);
    await pool.end();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}

/** Uses a server as people do, and returns the values that a test needs to continue. */
async function fillDatabase(): Promise<SavedDataDirectory["known"]> {
  const config = readConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    LODGE_DATA_DIR: dataDir,
    LODGE_DEMO: "off",
    LODGE_ROLES: "api,ingest,dashboard",
  });
  await using server = await startServer(config, postgres.address, createLog("silent"));
  const lodge = clientOf(server);
  await makeLivelyWorld(lodge);
  const { tokens, apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    tokens: [{ name: "Upgrade", scope: ["web"], permissions: ["tickets:write"] }],
    apps: [{ name: "Storefront", slug: "storefront", keys: ["default", "upgrade"] }],
  });
  const token = tokens.find(({ name }) => name === "Upgrade")?.secret ?? "";
  const key = apps[0]?.keys.find(({ name }) => name === "upgrade")?.key ?? "";
  const ticket = await lodge.request("POST", "/api/v1/tickets", {
    headers: { authorization: `Bearer ${token}`, "idempotency-key": "before the upgrade" },
    body: { title: "Filed before the upgrade" },
  });
  const bytes = Buffer.from("sent before the upgrade");
  const { eventId } = await submitReport(
    lodge.url,
    key,
    { reportId: "before the upgrade", title: "Reported before the upgrade" },
    [{ partName: "note", bytes, filename: "note.txt", contentType: "text/plain" }],
  );
  const [{ email } = { email: "" }] = livelyPeople;
  const person = await signedIn(lodge, email);
  const { secret: totpKey } = await person.call(beginTotp, { body: { password } });
  const { recoveryCodes } = await person.call(confirmTotp, { body: { code: codeOf(totpKey, new Date()) } });
  return { token, key, ticket: ticket.text, eventId, email, password, totpKey, recoveryCodes };
}

/** Statements that restore the rows of every table, including the job queue, and the positions of the sequences. */
async function saveRows(): Promise<string[]> {
  const client = new pg.Client(postgres.address);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string; columns: string; isPartition: boolean }>(
      `select oid::regclass::text as name, relispartition as "isPartition", (
        select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
      from pg_class where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
      order by 1`,
    );
    // Restores rows without triggers or foreign key checks.
    const statements = [
      "set session_replication_role = replica",
      `truncate ${tables.map(({ name }) => name).join(", ")}`,
    ];
    for (const { name, columns } of tables.filter(({ isPartition }) => !isPartition)) {
      const { rows } = await client.query<{ rows: string | null }>(
        `select json_agg(to_json(t))::text as rows from (select ${columns} from ${name}) t`,
      );
      if (rows[0]?.rows == null) continue;
      statements.push(
        `insert into ${name} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${name}, ${client.escapeLiteral(rows[0].rows)})`,
      );
    }
    const { rows: sequences } = await client.query<{ name: string; last: string }>(
      `select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
      where schemaname in ('public', 'graphile_worker') and last_value is not null`,
    );
    statements.push(...sequences.map(({ name, last }) => `select setval('${name}', ${last})`));
    return statements;
  } finally {
    await client.end();
  }
}

/** The files of the data directory outside its cluster, in base64. */
async function saveFiles(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const path = relative(dataDir, join(entry.parentPath, entry.name));
    if (!entry.isFile() || /^postgres|\.s\.PGSQL|\.log$/.test(path)) continue;
    files[path] = await readFile(join(dataDir, path), "base64");
  }
  return files;
}
