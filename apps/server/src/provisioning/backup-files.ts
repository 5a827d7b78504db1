import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { OperatorError } from "../platform/errors.ts";
import { flushFolder, unlessMissing } from "../platform/files.ts";

const listName = "backup.ndjson";
const chunkBytes = 1 << 20;

/**
 * A file of a backup. `modified` is when the original last changed, in nanoseconds since 1970, where that lay long enough
 * before it was copied that a later change shows in it.
 */
export type BackupFile = { path: string; bytes: number; sha256: string; modified?: string };

/** What a backup says of itself. It is written last: a folder without it is not a whole backup. */
export type BackupList = { format: 1; lodged: string; endedAt: string; folders: string[]; files: BackupFile[] };

/** Writes the list of a backup, a line for each file, so that it is there whole or not at all. */
export async function writeList(folder: string, { files, ...head }: BackupList): Promise<void> {
  const lines = [{ ...head, count: files.length }, ...files].map((line) => `${JSON.stringify(line)}\n`);
  const path = join(folder, listName);
  await writeFile(`${path}.unfinished`, lines, { mode: 0o600, flush: true });
  await rename(`${path}.unfinished`, path);
  await flushFolder(folder);
}

/** Reads the list of a backup. Throws an `OperatorError` where the folder holds no whole backup, or one of a newer kind. */
export async function readList(folder: string): Promise<BackupList> {
  const lines = createInterface({
    input: createReadStream(join(folder, listName)),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  const files: BackupFile[] = [];
  let head: (Omit<BackupList, "files"> & { count: number }) | undefined;
  try {
    for await (const line of lines) {
      if (head) files.push(JSON.parse(line) as BackupFile);
      else head = JSON.parse(line) as typeof head;
    }
  } catch (error) {
    throw new OperatorError(`${folder} holds no whole backup: ${(error as Error).message}`);
  }
  if (head?.format !== 1) throw new OperatorError(`${folder} holds no backup that this release can read.`);
  if (files.length !== head.count)
    throw new OperatorError(`${folder} holds no whole backup: its ${listName} is cut off.`);
  const { count: _, ...rest } = head;
  return { ...rest, files };
}

/** The files and folders below a folder, as paths from it; none where it is missing. Both may go while they are listed. */
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

/** Copies a file to where none is yet, flushed, and returns what was copied of it. Undefined where it is gone. */
export async function copyFile(from: string, to: string): Promise<{ bytes: number; sha256: string } | undefined> {
  const source = await unlessMissing(open(from, "r"));
  if (!source) return undefined;
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const target = await open(to, "wx", 0o600);
    try {
      const hash = createHash("sha256");
      const buffer = Buffer.allocUnsafe(chunkBytes);
      let bytes = 0;
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, chunkBytes);
        if (bytesRead === 0) break;
        const chunk = buffer.subarray(0, bytesRead);
        hash.update(chunk);
        await target.writeFile(chunk);
        bytes += bytesRead;
      }
      await target.datasync();
      return { bytes, sha256: hash.digest("hex") };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
