import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline/promises";
import { createGunzip } from "node:zlib";
import { type RawBuilder, sql, type Transaction } from "kysely";
import { holdSweep } from "../../both/retention/hold-sweep.ts";
import { lockDays } from "../../inbox/reports/partitions.ts";
import { type ExportedPerson, importPerson } from "../../people/organisations/import-person.ts";
import { type SealedColumn, type SealingKeys, seal } from "../../platform/config/seal.ts";
import type { DB } from "../../platform/database/database.generated.ts";
import { isRolledBack } from "../../platform/database/database.ts";
import { insertRows } from "../../platform/database/insert-rows.ts";
import type { Basics } from "../../platform/deps.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import type { Store, Upload } from "../../platform/store/store.ts";
import { storeKeyTime } from "../../platform/store/store-key.ts";
import type { ExportEnd, ExportHead } from "./export-organisation.ts";
import { belongsTo, listOrganisationTables, newestMigration, type OrganisationTable } from "./organisation-tables.ts";
import { exchangeSecrets } from "./sealed-columns.ts";

const batchRows = 500;
const batchBytes = 4_000_000;

/** The receipt of an import. `known` counts people whose address already had an account here. */
export type ImportReceipt = { organisation: string; users: number; known: number; rows: number; files: number };

/**
 * `lodged import` (contract section 12): imports a file of `lodged export` with its ids, tokens and keys, all or
 * nothing, and encrypts its secrets with the LODGE_SECRET of this installation. Can be repeated if it was killed.
 * Throws an `OperatorError` if the organisation or its slug already exists, the file is cut off or of another release,
 * or a row is not the organisation's.
 */
export async function importOrganisation(
  { db, clock, store, sealing }: Basics & { store: Store; sealing: SealingKeys },
  file: string,
): Promise<ImportReceipt> {
  const written = new Map<string, Upload>();
  let isRead = false;
  try {
    return await db.transaction().execute(async (tx) => {
      await holdSweep(tx);
      await lockDays(tx, db);
      const receipt = await read(tx, clock.now(), { store, sealing }, file, written);
      isRead = true;
      return receipt;
    });
  } catch (error) {
    // If the connection is lost during the commit, it is unknown whether the rows exist that refer to the files.
    if (isRead && !isRolledBack(error)) {
      throw new OperatorError(`It is not known whether ${file} was imported: ${describe(error)}. Repeat the command.`);
    }
    for (const upload of written.values()) await upload.abort();
    throw new OperatorError(`Nothing was imported from ${file}: ${describe(error)}`);
  }
}

async function read(
  tx: Transaction<DB>,
  now: Date,
  { store, sealing }: { store: Store; sealing: SealingKeys },
  file: string,
  written: Map<string, Upload>,
): Promise<ImportReceipt> {
  const source = createReadStream(file);
  const unpacked = createGunzip();
  source.on("error", (error) => unpacked.destroy(error));
  const lines = createInterface({ input: source.pipe(unpacked), crlfDelay: Number.POSITIVE_INFINITY });
  const failed = new Promise<never>((_, reject) => unpacked.on("error", reject));
  failed.catch(() => {}); // checked below
  const each = lines[Symbol.asyncIterator]();
  const next = async () => {
    const line = await Promise.race([each.next(), failed]);
    if (line.done) throw new OperatorError("it is cut off");
    return line.value;
  };

  const { organisation } = await checkHead(tx, parseHead(await next().catch(refuseOther)));
  const tables = new Map((await listOrganisationTables(tx)).map((table) => [table.name, table]));
  const receipt: ImportReceipt = { organisation: organisation.slug, users: 0, known: 0, rows: 0, files: 0 };
  const renamed = new Map<string, string>();
  const sealOne = (column: SealedColumn, id: string, plain: string) => seal(sealing, column, id, plain);
  const batch = startBatch(tx, organisation.id);
  let incoming: { upload: Upload | undefined; hash: Hash; there: string | undefined } | undefined;
  for (;;) {
    const line = await next();
    const [whole, name = ""] = /^\{"table":"(\w+)","row":/.exec(line) ?? [];
    if (whole) {
      const table = tables.get(name);
      if (!table) throw new OperatorError(`it has rows of ${name}, which is not a table of an organisation`);
      let row = line.slice(whole.length, -1);
      for (const [there, here] of renamed) row = row.replaceAll(there, here);
      await batch.add(table, exchangeSecrets(name, row, sealOne));
      receipt.rows += 1;
      continue;
    }
    const part = JSON.parse(line) as Partial<
      ExportedPerson & ExportEnd & { file: string; chunk: string; sha256: string }
    >;
    if (part.user) {
      const person = { user: part.user, password: part.password ?? null };
      const id = await importPerson(tx, { now, organisationId: organisation.id }, person);
      receipt.users += 1;
      if (id !== part.user.id) renamed.set(part.user.id, id);
    } else if (part.file !== undefined) {
      await batch.end();
      if (storeKeyTime(part.file) === undefined || part.file.includes("..")) {
        throw new OperatorError(`the name ${part.file} of a file in it is invalid`);
      }
      if (!(await isKnown(tx, tables, organisation.id, part.file))) {
        throw new OperatorError(`it has a file ${part.file} that does not belong to the organisation`);
      }
      const there = await hashStored(store, part.file);
      if (there !== undefined && (await isOneOfSeveral(tx))) {
        throw new OperatorError(`the store already has a file ${part.file}`);
      }
      const upload = there === undefined ? await store.create(part.file) : undefined;
      if (upload) written.set(part.file, upload);
      incoming = { upload, hash: createHash("sha256"), there };
    } else if (part.chunk !== undefined && incoming) {
      const bytes = Buffer.from(part.chunk, "base64");
      incoming.hash.update(bytes);
      await incoming.upload?.write(bytes);
    } else if (part.sha256 !== undefined && incoming) {
      const { upload, hash, there } = incoming;
      if (hash.digest("hex") !== part.sha256) {
        throw new OperatorError("a file in it is damaged");
      }
      // An import that was killed has left it there; sweeps do not look that far back.
      if (there !== undefined && there !== part.sha256) {
        throw new OperatorError("the store already has another file with the name of one in it");
      }
      await upload?.commit();
      incoming = undefined;
      receipt.files += 1;
    } else if (part.end) {
      await batch.end();
      if (part.end.rows !== receipt.rows || part.end.files !== receipt.files) {
        throw new OperatorError("lines are missing from it");
      }
      receipt.known = renamed.size;
      return receipt;
    } else throw new OperatorError("it has a line that does not belong to an export");
  }
}

/** Reports a file that is not compressed. */
function refuseOther(error: NodeJS.ErrnoException): never {
  throw error.code === "Z_DATA_ERROR" ? otherFile() : error;
}

function parseHead(line: string): Partial<ExportHead> {
  try {
    const head = JSON.parse(line) as Partial<ExportHead> | null;
    if (head?.lodgeExport !== undefined) return head;
  } catch {}
  throw otherFile();
}

const otherFile = () => new OperatorError("lodged export did not write this file");

async function checkHead(tx: Transaction<DB>, head: Partial<ExportHead>): Promise<ExportHead> {
  const { lodgeExport, migration, organisation } = head;
  if (lodgeExport !== 1 || !organisation || !migration) throw new OperatorError("this release cannot read it");
  const here = await newestMigration(tx);
  if (migration !== here) {
    throw new OperatorError(
      `it was made by another release (${migration} there, ${here} here). Upgrade both to the same release first`,
    );
  }
  const found = await tx
    .selectFrom("organisations")
    .select("slug")
    .where((is) => is.or([is("id", "=", organisation.id), is("slug", "=", organisation.slug)]))
    .executeTakeFirst();
  if (found) throw new OperatorError(`the organisation ${found.slug} already exists`);
  const elsewhere = await tx
    .selectFrom("cell_organisations")
    .innerJoin("cell_identity", (join) => join.onRef("cell_identity.name", "<>", "cell_organisations.cell"))
    .select("cell")
    .where("organisation_id", "=", organisation.id)
    .executeTakeFirst();
  if (elsewhere) {
    throw new OperatorError(`the organisation ${organisation.slug} is in the cell ${elsewhere.cell}`);
  }
  return head as ExportHead;
}

/** Collects rows of one table and writes them together. */
function startBatch(tx: Transaction<DB>, organisationId: string) {
  let table: OrganisationTable | undefined;
  let rows: string[] = [];
  let bytes = 0;
  const end = async () => {
    const [written, to] = [rows, table];
    rows = [];
    bytes = 0;
    if (!to || written.length === 0) return;
    const inserted = await insertRows(tx, to, written, belongsTo(to, organisationId));
    if (inserted !== written.length)
      throw new OperatorError(`it has rows of ${to.name} that are another organisation's`);
  };
  return {
    end,
    add: async (to: OrganisationTable, row: string) => {
      if (to !== table || rows.length === batchRows || bytes > batchBytes) await end();
      table = to;
      rows.push(row);
      bytes += row.length;
    },
  };
}

/** The SHA-256 of an object of the store; undefined if there is none. */
async function hashStored(store: Store, key: string): Promise<string | undefined> {
  const stored = await store.read(key);
  if (!stored) return undefined;
  const hash = createHash("sha256");
  for await (const chunk of stored as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}

/** Whether the database is one of several cells: rows of another one may refer to an existing file. */
async function isOneOfSeveral(tx: Transaction<DB>): Promise<boolean> {
  return (await tx.selectFrom("cell_identity").select("name").executeTakeFirst()) !== undefined;
}

/** Whether an imported row refers to a key of the store. */
async function isKnown(
  tx: Transaction<DB>,
  tables: ReadonlyMap<string, OrganisationTable>,
  organisationId: string,
  key: string,
): Promise<boolean> {
  const naming = [...tables.values()]
    .filter(({ columns }) => columns.includes("store_key"))
    .map(
      (table): RawBuilder<unknown> =>
        sql`select from ${sql.table(table.name)} r where store_key = ${key} and ${belongsTo(table, organisationId)}`,
    );
  const { rows } = await sql<{ is_known: boolean }>`
    select exists (${sql.join(naming, sql` union all `)}) as is_known`.execute(tx);
  return rows[0]?.is_known ?? false;
}
