import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sql, type Transaction } from "kysely";
import manifest from "../../../package.json" with { type: "json" };
import { keepPartitions } from "../../inbox/reports/partitions.ts";
import { type SealedColumn, type SealingKeys, Unreadable, unseal } from "../../platform/config/seal.ts";
import type { DB } from "../../platform/database/database.generated.ts";
import type { Basics } from "../../platform/deps.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import type { Store } from "../../platform/store/store.ts";
import { belongsTo, listOrganisationTables, newestMigration, type OrganisationTable } from "./organisation-tables.ts";
import { exchangeSecrets } from "./sealed-columns.ts";

/** A row may be an envelope of 5 MB, written in hexadecimal. */
const rowsAtOnce = 16;

/** The first line of an export. */
export type ExportHead = {
  lodgeExport: 1;
  lodged: string;
  migration: string;
  exportedAt: string;
  organisation: { id: string; slug: string; name: string };
};

/** The last line: a file without it is cut off. */
export type ExportEnd = { end: { rows: number; files: number } };

/**
 * The receipt of an export. `missing` are files that the database refers to and the store no longer has;
 * `secretsInClear` counts the secrets that anybody can read in the file, `secretsLost` those encrypted with another
 * LODGE_SECRET.
 */
export type ExportReceipt = {
  file: string;
  organisation: string;
  users: number;
  rows: number;
  files: number;
  missing: number;
  secretsInClear: Record<string, number>;
  secretsLost: number;
};

/**
 * `lodged export` (contract section 12): writes one organisation, from one snapshot, to a new compressed file of lines
 * of JSON: its people and the hashes of their passwords, the rows of all tables, the attachments. Stored secrets are in
 * it in clear text, for an installation with another LODGE_SECRET (docs/decisions/secrets.md). Throws an `OperatorError`,
 * and leaves no file, if it fails.
 */
export async function exportOrganisation(
  { db, clock, store, sealing }: Basics & { store: Store; sealing: SealingKeys },
  slug: string,
  file: string,
): Promise<ExportReceipt> {
  const receipt: ExportReceipt = {
    file,
    organisation: slug,
    users: 0,
    rows: 0,
    files: 0,
    missing: 0,
    secretsInClear: {},
    secretsLost: 0,
  };
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      error.code === "EEXIST" ? `${file} already exists.` : `Cannot write ${file}: ${error.message}`,
    );
  });
  const output = handle.createWriteStream({ flush: true });
  try {
    await db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(async (tx) => {
        await keepPartitions(tx);
        await pipeline(Readable.from(lines(tx, { store, sealing }, clock.now(), slug, receipt)), createGzip(), output);
      });
  } catch (error) {
    await rm(file, { force: true });
    throw error instanceof OperatorError ? error : new OperatorError(`Cannot export to ${file}: ${describe(error)}`);
  }
  return receipt;
}

async function* lines(
  tx: Transaction<DB>,
  { store, sealing }: { store: Store; sealing: SealingKeys },
  now: Date,
  slug: string,
  receipt: ExportReceipt,
) {
  const open = (column: SealedColumn, id: string, value: string) => {
    try {
      const plain = unseal(sealing, column, id, value).toString();
      receipt.secretsInClear[column] = (receipt.secretsInClear[column] ?? 0) + 1;
      return plain;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      receipt.secretsLost += 1;
      return "";
    }
  };
  const organisation = await tx
    .selectFrom("organisations")
    .select(["id", "slug", "name"])
    .where("slug", "=", slug)
    .executeTakeFirst();
  if (!organisation) throw new OperatorError(`There is no organisation ${slug}.`);
  const migration = await newestMigration(tx);
  const head: ExportHead = {
    lodgeExport: 1,
    lodged: manifest.version,
    migration,
    exportedAt: now.toISOString(),
    organisation,
  };
  yield `${JSON.stringify(head)}\n`;

  const tables = await listOrganisationTables(tx);
  for (const line of await people(tx, tables, organisation.id)) {
    receipt.users += 1;
    yield `${line}\n`;
  }
  for (const table of tables) {
    await sql`
      declare exported no scroll cursor for
      select to_json(r)::text as row from ${sql.table(table.name)} r where ${belongsTo(table, organisation.id)}
    `.execute(tx);
    for (;;) {
      const { rows } = await sql<{ row: string }>`fetch ${sql.lit(rowsAtOnce)} from exported`.execute(tx);
      for (const { row } of rows) {
        receipt.rows += 1;
        // In JSON, a raw line break can only stand between tokens.
        yield `{"table":"${table.name}","row":${exchangeSecrets(table.name, row, open).replaceAll("\n", " ")}}\n`;
      }
      if (rows.length < rowsAtOnce) break;
    }
    await sql`close exported`.execute(tx);
  }

  for (const table of tables.filter(({ columns }) => columns.includes("store_key"))) {
    const { rows } = await sql<{ store_key: string }>`
      select store_key from ${sql.table(table.name)} r where ${belongsTo(table, organisation.id)}
    `.execute(tx);
    for (const { store_key } of rows) {
      const bytes = await store.read(store_key);
      if (!bytes) {
        receipt.missing += 1;
        continue;
      }
      receipt.files += 1;
      yield `${JSON.stringify({ file: store_key })}\n`;
      const hash = createHash("sha256");
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield `${JSON.stringify({ chunk: chunk.toString("base64") })}\n`;
      }
      yield `${JSON.stringify({ sha256: hash.digest("hex") })}\n`;
    }
  }
  const end: ExportEnd = { end: { rows: receipt.rows, files: receipt.files } };
  yield `${JSON.stringify(end)}\n`;
}

/** Everyone whom a row of the organisation refers to, with their password hash. */
async function people(tx: Transaction<DB>, tables: OrganisationTable[], organisationId: string): Promise<string[]> {
  const { rows: references } = await sql<{ table: string; column: string }>`
    select conrelid::regclass::text as table, attname::text as column
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = 'users'::regclass`.execute(tx);
  const ids = references.flatMap(({ table, column }) => {
    const found = tables.find(({ name }) => name === table);
    return found
      ? [sql`select ${sql.ref(`r.${column}`)} from ${sql.table(table)} r where ${belongsTo(found, organisationId)}`]
      : [];
  });
  const { rows } = await sql<{ line: string }>`
    select json_build_object('user', users, 'password', (
      select hash from passwords where user_id = users.id
    ))::text as line
    from users where id in (${sql.join(ids, sql` union `)}) order by email`.execute(tx);
  return rows.map(({ line }) => line.replaceAll("\n", " "));
}
