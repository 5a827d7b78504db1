import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { sql } from "kysely";
import { withDatabase } from "../../platform/command/with-database.ts";
import type { Config } from "../../platform/config/config.ts";
import { makeDataDir } from "../../platform/config/data-dir.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { flushFolder, unlessMissing } from "../../platform/files.ts";
import { locatePostgres } from "../../platform/postgres/embedded-postgres.ts";
import { openStore } from "../../platform/store/open-store.ts";
import { type BackupFile, readList } from "./backup-files.ts";
import { openPlace } from "./backup-place.ts";
import { writeStream } from "./copy-file.ts";
import { eachAtOnce } from "./each-at-once.ts";

/** The receipt of a restore. `missing` counts the files that the database refers to and the backup lacks: none. */
export type RestoreReceipt = {
  dataDir: string;
  backup: { endedAt: string; lodged: string };
  files: number;
  tickets: number;
  events: number;
  missing: number;
};

/**
 * `lodged restore` (contract section 12): restores a backup into the data directory of the settings, which must not
 * have a database, and opens the database once to verify it. Each file is compared with the hash in the backup. The
 * database comes last, by one rename, so an interrupted restore can be repeated. If the backup is damaged, throws an
 * `OperatorError` that names the file, and leaves no database.
 */
export async function restore(config: Config, from: string): Promise<RestoreReceipt> {
  if (config.databaseUrl) {
    throw new OperatorError("A backup of the embedded database is restored into a data directory: unset DATABASE_URL.");
  }
  const source = await openPlace(config, from);
  const list = await readList(source);
  const { folder, cluster } = locatePostgres(config.dataDir);
  if (await unlessMissing(stat(cluster))) {
    throw new OperatorError(`${folder} already has a database. Set LODGE_DATA_DIR to an empty folder.`);
  }
  await makeDataDir(config.dataDir);
  const name = relative(folder, cluster);
  // A start removes what a killed restore left under this name.
  const unfinished = `${name}.unfinished-${process.pid}`;
  const placeOf = (path: string) =>
    join(folder, path === name || path.startsWith(`${name}/`) ? `${unfinished}${path.slice(name.length)}` : path);
  try {
    for (const path of [name, ...list.folders]) await mkdir(placeOf(path), { recursive: true, mode: 0o700 });
    const restoreFile = async ({ path, bytes, sha256 }: BackupFile) => {
      const to = placeOf(path);
      await rm(to, { force: true });
      const bytesOfIt = await source.read(path);
      const copied = bytesOfIt && (await writeStream(bytesOfIt, to));
      if (copied?.sha256 === sha256 && copied.bytes === bytes) return;
      throw new OperatorError(`${source.name}/${path} is ${copied ? "different from what was backed up" : "missing"}`);
    };
    await eachAtOnce(list.files, source.atOnce, restoreFile);
    for (const path of [name, ...list.folders]) await flushFolder(placeOf(path));
    await rename(placeOf(name), cluster);
    await flushFolder(dirname(cluster));
  } catch (error) {
    await rm(placeOf(name), { recursive: true, force: true });
    throw new OperatorError(`Nothing was restored: ${describe(error)}`);
  }
  return { dataDir: folder, ...describeBackup(list), files: list.files.length, ...(await verify(config)) };
}

const describeBackup = ({ endedAt, lodged }: { endedAt: string; lodged: string }) => ({ backup: { endedAt, lodged } });

/** Opens the database, which recovers it from its files and log, and checks that each file that it refers to exists. */
async function verify(config: Config) {
  const store = await openStore(config);
  return withDatabase(config, async ({ db }) => {
    const stored = new Set<string>();
    for await (const key of store.list("")) stored.add(key);
    const known = await sql<{ store_key: string }>`
      select store_key from artifacts union all select store_key from source_maps union all select store_key from images
      union all select store_key from ticket_attachments
    `.execute(db);
    const { rows } = await sql<{ tickets: number; events: number }>`
      select (select count(*)::int from tickets) as tickets, (select count(*)::int from events) as events
    `.execute(db);
    return {
      tickets: rows[0]?.tickets ?? 0,
      events: rows[0]?.events ?? 0,
      missing: known.rows.filter(({ store_key }) => !stored.has(store_key)).length,
    };
  });
}
