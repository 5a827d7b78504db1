import { readdir } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import { createInterface } from "node:readline/promises";
import { OperatorError } from "../../platform/errors.ts";
import { unlessMissing } from "../../platform/files.ts";
import type { BackupPlace } from "./backup-place.ts";

const listName = "backup.ndjson";

/**
 * A file of a backup. `modified` is when the original last changed, in nanoseconds since 1970; omitted if that was so
 * short before the copy that a later change could have the same time.
 */
export type BackupFile = { path: string; bytes: number; sha256: string; modified?: string };

/** The description of a backup. It is written last: a folder without it is not a complete backup. */
export type BackupList = { format: 1; lodged: string; endedAt: string; folders: string[]; files: BackupFile[] };

/** Writes the list of a backup, a line for each file, completely or not at all. */
export async function writeList(place: BackupPlace, { files, ...head }: BackupList): Promise<void> {
  const lines = [{ ...head, count: files.length }, ...files].map((line) => `${JSON.stringify(line)}\n`);
  await place.write(listName, lines.join(""));
}

/** Reads the list of a backup. Throws an `OperatorError` if the backup is incomplete or of a newer format. */
export async function readList(place: BackupPlace): Promise<BackupList> {
  const files: BackupFile[] = [];
  let head: (Omit<BackupList, "files"> & { count: number }) | undefined;
  try {
    const input = await place.read(listName);
    if (!input) throw new Error(`it has no ${listName}`);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (head) files.push(JSON.parse(line) as BackupFile);
      else head = JSON.parse(line) as typeof head;
    }
  } catch (error) {
    throw new OperatorError(`${place.name} has no complete backup: ${(error as Error).message}`);
  }
  if (head?.format !== 1) throw new OperatorError(`${place.name} has no backup that this release can read.`);
  if (files.length !== head.count)
    throw new OperatorError(`${place.name} has no complete backup: its ${listName} is cut off.`);
  const { count: _, ...rest } = head;
  const strange = [...rest.folders, ...files.map(({ path }) => path)].find((path) => !isBelow(path));
  if (strange !== undefined)
    throw new OperatorError(`${place.name} lists a file that cannot be part of a backup: ${strange}`);
  return { ...rest, files };
}

/** Whether a path stays below the folder that it is joined to. */
const isBelow = (path: string) => normalize(path) === path && !isAbsolute(path) && !/^\.\.?(\/|$)/.test(path);

/**
 * The files and folders below a folder, as relative paths; none if it is missing. Both may be deleted while they are
 * listed.
 */
export async function* listBelow(root: string, below = ""): AsyncGenerator<{ path: string; isFolder: boolean }> {
  const entries = await unlessMissing(readdir(join(root, below), { withFileTypes: true }));
  for (const entry of entries ?? []) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      yield { path, isFolder: true };
      yield* listBelow(root, path);
    } else if (entry.isFile()) yield { path, isFolder: false };
  }
}
