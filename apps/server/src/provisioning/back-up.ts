import { createHash } from "node:crypto";
import { link, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import pg from "pg";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../platform/config/config.ts";
import { secretPath } from "../platform/config/secret.ts";
import { openDatabase, requireDatabase } from "../platform/database/open-database.ts";
import { describe, OperatorError } from "../platform/errors.ts";
import { flushFolder, unlessMissing } from "../platform/files.ts";
import { locatePostgres } from "../platform/postgres/embedded-postgres.ts";
import { beginBackup, endBackup, isInBackup } from "../platform/postgres/online-backup.ts";
import { listenForStop } from "../platform/stop-signal.ts";
import { type BackupFile, type BackupList, copyFile, listBelow, readList, writeList } from "./backup-files.ts";

/** Each waits for its file to reach the disk. */
const copiesAtOnce = 4;
/** A change that comes less than this after another may bear the same time. */
const settledMs = 2_000;

/** What a backup took, for who made it. `linkedBytes` are shared with the backup before it. */
export type BackupReceipt = {
  to: string;
  files: number;
  bytes: number;
  linkedBytes: number;
  seconds: number;
  attachments: string;
  secret: string;
};

/**
 * `lodged backup` (contract section 12): copies the embedded database, the attachments and the secret into an empty folder,
 * while the server runs. The database is as it was when its copy ended, and no attachment that it knows is missing. Of
 * what has not changed since the backup `since` only names are made, on the same disk; each backup is whole by itself.
 * Throws an `OperatorError`, and leaves the folder empty, where it cannot.
 */
export async function backUp(config: Config, to: string, since?: string): Promise<BackupReceipt> {
  const startedAt = performance.now();
  const target = resolve(to);
  const { folder, cluster } = locatePostgres(config.dataDir);
  if (config.databaseUrl) {
    throw new OperatorError(
      "DATABASE_URL names a PostgreSQL of your own: back it up with its own tools, and then the folder " +
        `${join(folder, "artifacts")}.`,
    );
  }
  if (to.startsWith("s3://")) throw new OperatorError("A backup goes into a directory; s3:// is not supported yet.");
  if (!relative(folder, target).startsWith("..")) {
    throw new OperatorError(`${target} lies in the data directory ${folder}, which is what is backed up.`);
  }
  await requireDatabase(config);
  const last = since === undefined ? undefined : { folder: resolve(since), list: await readList(resolve(since)) };
  await makeEmptyFolder(target);

  const { asked } = listenForStop();
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase(config, "command", asked);
  opened.defer(database.close);
  const client = new pg.Client({ ...database.address, application_name: "lodged backup" });
  client.on("error", () => {}); // the query in hand says it as well
  opened.defer(() => client.end().catch(() => {}));
  try {
    await client.connect();
    const copies = startCopies(folder, target, last, asked);
    const name = relative(folder, cluster);
    // Files go before their rows, so what is deleted while the database is copied must have been copied before, and what
    // has come meanwhile after.
    await copies.copyBelow("artifacts", isFinished);
    const first = await beginBackup(client);
    await copies.copyBelow(name, isInBackup);
    const { segments, label } = await endBackup(client, first);
    for (const segment of segments) await copies.copy(join(name, "pg_wal", segment));
    await copies.add(join(name, "backup_label"), label);
    await copies.copyBelow("artifacts", isFinished);
    await copies.copy(relative(folder, secretPath(folder)));
    const list = copies.list();
    for (const path of list.folders) await flushFolder(join(target, path));
    await writeList(target, {
      format: 1,
      lodged: manifest.version,
      endedAt: new Date().toISOString(),
      ...list,
    });
    return {
      to: target,
      ...copies.sums(),
      seconds: Math.round(performance.now() - startedAt) / 1000,
      attachments: config.s3 ? "those in the bucket are not in the backup: copy it after this" : "in the backup",
      secret: config.secret ? "LODGE_SECRET is not in the backup: keep it" : "in the backup",
    };
  } catch (error) {
    for (const name of await readdir(target)) await rm(join(target, name), { recursive: true, force: true });
    throw new OperatorError(`The backup was given up, and ${target} is empty: ${describe(error)}`);
  }
}

const isFinished = (path: string) => !path.startsWith(".unfinished/");

async function makeEmptyFolder(target: string) {
  await mkdir(target, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new OperatorError(`Cannot make the folder ${target}: ${error.message}`);
  });
  const found = await readdir(target);
  if (found.length > 0) throw new OperatorError(`${target} is not empty: name a folder of its own for each backup.`);
}

/** Copies below `from` to the same paths below `to`, each once, and keeps the list of them. */
function startCopies(
  from: string,
  to: string,
  last: { folder: string; list: BackupList } | undefined,
  asked: AbortSignal,
) {
  const files = new Map<string, BackupFile>();
  const folders = new Set<string>();
  const before = new Map(last?.list.files.map((file) => [file.path, file]));
  let linkedBytes = 0;

  const copy = async (path: string): Promise<void> => {
    if (asked.aborted) throw new OperatorError(`stopped by ${asked.reason}`);
    const found = files.has(path) ? undefined : await unlessMissing(stat(join(from, path), { bigint: true }));
    if (!found) return;
    const isSettled = Date.now() - Number(found.mtimeMs) > settledMs;
    const modified = `${found.mtimeNs}`;
    const known = before.get(path);
    if (last && known?.modified === modified && BigInt(known.bytes) === found.size) {
      await linkFile(join(last.folder, path), join(to, path));
      linkedBytes += known.bytes;
      files.set(path, known);
      return;
    }
    const copied = await copyFile(join(from, path), join(to, path));
    if (copied) files.set(path, { path, ...copied, ...(isSettled && { modified }) });
  };

  async function* pathsBelow(below: string, isWanted: (path: string) => boolean) {
    for await (const { path, isFolder } of listBelow(join(from, below))) {
      if (!isWanted(path)) continue;
      if (!isFolder) yield join(below, path);
      else {
        folders.add(join(below, path));
        await mkdir(join(to, below, path), { recursive: true, mode: 0o700 });
      }
    }
  }

  return {
    copy,
    copyBelow: (below: string, isWanted: (path: string) => boolean) =>
      Readable.from(pathsBelow(below, isWanted)).forEach(copy, { concurrency: copiesAtOnce }),
    /** A file that has no original. */
    add: async (path: string, text: string) => {
      await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
      await writeFile(join(to, path), text, { mode: 0o600, flush: true });
      files.set(path, {
        path,
        bytes: Buffer.byteLength(text),
        sha256: createHash("sha256").update(text).digest("hex"),
      });
    },
    list: () => ({ folders: [...folders].sort(), files: [...files.values()] }),
    sums: () => ({
      files: files.size,
      bytes: [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0),
      linkedBytes,
    }),
  };
}

async function linkFile(from: string, to: string) {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      error.code === "EXDEV"
        ? `${from} lies on another disk: --since wants a backup on the same one`
        : `cannot take over ${from} from the last backup: ${error.message}`,
    );
  });
}
