import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import pg from "pg";
import manifest from "../../../package.json" with { type: "json" };
import type { Config } from "../../platform/config/config.ts";
import { secretPath } from "../../platform/config/secret.ts";
import { openDatabase, requireDatabase } from "../../platform/database/open-database.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { unlessMissing } from "../../platform/files.ts";
import { locatePostgres } from "../../platform/postgres/embedded-postgres.ts";
import { beginBackup, endBackup, isInBackup } from "../../platform/postgres/online-backup.ts";
import { listenForStop } from "../../platform/stop-signal.ts";
import { type BackupFile, type BackupList, listBelow, readList, writeList } from "./backup-files.ts";
import { type BackupPlace, openPlace } from "./backup-place.ts";
import { eachAtOnce } from "./each-at-once.ts";

/** Two changes within this time can have the same timestamp. */
const settledMs = 2_000;

/** The receipt of a backup. `linkedBytes` are shared with the previous backup. */
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
 * `lodged backup` (contract section 12): copies the embedded database, the attachments and the secret into an empty
 * folder or under an empty prefix of a bucket, while the server runs. The database is in its state at the end of the
 * copy, and every attachment that it refers to is included. Files that have not changed since the backup `since`, of
 * the same kind, are not sent again: they are hard-linked on the same disk, or copied within the store. Each backup is
 * complete on its own. Throws an `OperatorError`, and leaves nothing behind, if it fails.
 */
export async function backUp(config: Config, to: string, since?: string): Promise<BackupReceipt> {
  const startedAt = performance.now();
  const { folder, cluster } = locatePostgres(config.dataDir);
  if (config.databaseUrl) {
    throw new OperatorError(
      "DATABASE_URL names your own PostgreSQL: back it up with its own tools, and then the folder " +
        `${join(folder, "artifacts")}.`,
    );
  }
  const isInside = (path: string) => !relative(folder, path).startsWith("..");
  if (!to.startsWith("s3://") && isInside(resolve(to))) {
    throw new OperatorError(
      `${resolve(to)} is in the data directory ${folder}, which is being backed up. Choose a folder outside it.`,
    );
  }
  await requireDatabase(config);
  const target = await openPlace(config, to);
  const lastPlace = since === undefined ? undefined : await openPlace(config, since);
  const last = lastPlace && { place: lastPlace, list: await readList(lastPlace) };
  await target.prepare();

  const { asked } = listenForStop();
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase(config, "command", asked);
  opened.defer(database.close);
  const client = new pg.Client({ ...database.address, application_name: "lodged backup" });
  client.on("error", () => {}); // the current query reports it as well
  opened.defer(() => client.end().catch(() => {}));
  try {
    await client.connect();
    const copies = startCopies(folder, target, last, asked);
    const name = relative(folder, cluster);
    // Files are deleted before their rows, so they are copied before the database, and new ones after it as well.
    await copies.copyBelow("artifacts", isFinished);
    const first = await beginBackup(client);
    await copies.copyBelow(name, isInBackup);
    const { segments, label } = await endBackup(client, first);
    for (const segment of segments) await copies.copy(join(name, "pg_wal", segment));
    await copies.add(join(name, "backup_label"), label);
    await copies.copyBelow("artifacts", isFinished);
    await copies.copy(relative(folder, secretPath(folder)));
    const list = copies.list();
    await target.flush(list.folders);
    await writeList(target, {
      format: 1,
      lodged: manifest.version,
      endedAt: new Date().toISOString(),
      ...list,
    });
    return {
      to: target.name,
      ...copies.sums(),
      seconds: Math.round(performance.now() - startedAt) / 1000,
      attachments: config.s3 ? "those in the bucket are not in the backup: copy it after this" : "in the backup",
      secret: config.secret ? "LODGE_SECRET is not in the backup: keep it" : "in the backup",
    };
  } catch (error) {
    await target.empty();
    throw new OperatorError(`The backup failed, and ${target.name} is empty: ${describe(error)}`);
  }
}

const isFinished = (path: string) => !path.startsWith(".unfinished/");

/** Copies files under `from` to the same paths of a place, each once, and keeps a list of them. */
function startCopies(
  from: string,
  to: BackupPlace,
  last: { place: BackupPlace; list: BackupList } | undefined,
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
      await to.takeOver(path, last.place);
      linkedBytes += known.bytes;
      files.set(path, known);
      return;
    }
    const copied = await to.put(path, join(from, path));
    if (copied) files.set(path, { path, ...copied, ...(isSettled && { modified }) });
  };

  async function* pathsBelow(below: string, isWanted: (path: string) => boolean) {
    for await (const { path, isFolder } of listBelow(join(from, below))) {
      if (!isWanted(path)) continue;
      if (!isFolder) yield join(below, path);
      else {
        folders.add(join(below, path));
        await to.makeFolder(join(below, path));
      }
    }
  }

  return {
    copy,
    copyBelow: (below: string, isWanted: (path: string) => boolean) =>
      eachAtOnce(pathsBelow(below, isWanted), to.atOnce, copy),
    /** Adds a file that has no original. */
    add: async (path: string, text: string) => {
      await to.write(path, text);
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
