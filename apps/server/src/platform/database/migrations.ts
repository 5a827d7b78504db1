import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { OperatorError } from "../errors.ts";
import { extensionSchema } from "./schema.ts";
import { splitStatements } from "./split-statements.ts";

const folder = new URL("../../../migrations/", import.meta.url);

/** A migration that only databases from before 0.1.0 have. */
const beforeFirstRelease = "0001_organisations.sql";

/** Applies pending migrations, each in its own transaction. Throws an `OperatorError` if an applied one was edited. */
export async function applyMigrations(client: pg.ClientBase): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
  const landed = await client.query<{ name: string; sha256: string }>("select name, sha256 from schema_migrations");
  const sha256Of = new Map(landed.rows.map((row) => [row.name, row.sha256]));
  const { rows } = await client.query<{ schema: string }>("select current_schema() as schema");
  const inOwnDatabase = rows[0]?.schema === extensionSchema;
  for (const name of await listFiles()) {
    const text = await readFile(new URL(name, folder), "utf8");
    const sha256 = createHash("sha256").update(text).digest("hex");
    const landedSha256 = sha256Of.get(name);
    if (landedSha256 !== undefined) {
      if (landedSha256 !== sha256)
        throw new OperatorError(`Migration ${name} was edited after it was applied. Install the original release.`);
      continue;
    }
    await client.query("begin");
    for (const statement of splitStatements(text)) await client.query(placed(statement, inOwnDatabase));
    await client.query("insert into schema_migrations (name, sha256) values ($1, $2)", [name, sha256]);
    await client.query("commit");
  }
}

/**
 * Adapts a migration's statement to the schema of the tables, where the queue's tables are found like all others. Only
 * a database without cells has unlogged tables: a distributed PostgreSQL cannot move a schema with one between nodes.
 */
const placed = (statement: string, inOwnDatabase: boolean): string => {
  const unqualified = statement
    .replaceAll("graphile_worker.", "")
    .replace(/^create extension if not exists \w+$/m, `$& schema ${extensionSchema}`);
  return inOwnDatabase ? unqualified : unqualified.replace(/^create unlogged table/m, "create table");
};

/**
 * The migrations that the next start would apply. Changes nothing. Throws an `OperatorError` for a database that is
 * newer than this version or from before 0.1.0.
 */
export async function findPendingMigrations(client: pg.ClientBase): Promise<string[]> {
  const files = await listFiles();
  if (!(await isMigrated(client))) return files;
  const landed = await client.query<{ name: string }>("select name from schema_migrations");
  const names = landed.rows.map(({ name }) => name);
  if (names.includes(beforeFirstRelease)) {
    throw new OperatorError(
      "The database is from a Lodge before 0.1.0 and cannot be upgraded: start with a new LODGE_DATA_DIR or an empty DATABASE_URL.",
    );
  }
  refuseNewer(names, files);
  return files.filter((name) => !names.includes(name));
}

/** Whether a database is Lodge's, in any version. */
export async function isMigrated(client: pg.ClientBase): Promise<boolean> {
  const known = await client.query(
    "select from pg_tables where schemaname = current_schema() and tablename = 'schema_migrations'",
  );
  return known.rowCount !== 0;
}

const listFiles = async () => (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

function refuseNewer(landed: string[], files: string[]) {
  const unknown = landed.filter((name) => !files.includes(name));
  if (unknown.length > 0) {
    throw new OperatorError(
      `The database is newer than this version of Lodge: it has ${unknown.join(", ")}. Start the newer version.`,
    );
  }
}
