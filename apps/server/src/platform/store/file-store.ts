import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "../errors.ts";
import { flushFolder, unlessMissing } from "../files.ts";
import type { Store, Upload } from "./store.ts";

const unfinishedFolder = ".unfinished";

/** A store in a folder, which is created if it is missing. */
export async function openFileStore(folder: string): Promise<Store> {
  const unfinished = join(folder, unfinishedFolder);
  const check = () => access(unfinished, constants.W_OK | constants.X_OK);
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    await check();
  } catch (error) {
    throw new OperatorError(`Cannot write attachments to ${folder}: ${(error as Error).message}. Set LODGE_DATA_DIR.`);
  }
  return {
    create: (key) => createUpload(join(unfinished, randomUUID()), join(folder, key)),
    read: async (key, range) => {
      const file = await unlessMissing(open(join(folder, key), "r"));
      return file?.createReadStream(range);
    },
    presign: async () => undefined,
    delete: async (keys) => {
      for (const key of keys) await rm(join(folder, key), { force: true });
      for (const emptied of new Set(keys.map((key) => dirname(join(folder, key))))) await removeEmpty(emptied, folder);
    },
    list: (prefix) => filesBelow(folder, prefix),
    deleteUnfinished: async (before) => {
      for (const name of await readdir(unfinished)) {
        const path = join(unfinished, name);
        const found = await unlessMissing(stat(path));
        if (found && found.mtime < before) await rm(path, { force: true });
      }
    },
    check,
  };
}

/** Creates a file atomically: writes and flushes it with a temporary name, renames it, and flushes the directory. */
async function createUpload(temporary: string, final: string): Promise<Upload> {
  const file = await open(temporary, "wx", 0o600);
  let written = temporary;
  return {
    write: async (chunk) => {
      for (let offset = 0; offset < chunk.length; ) {
        offset += (await file.write(chunk, offset)).bytesWritten;
      }
    },
    commit: async () => {
      await file.datasync();
      await file.close();
      if ((await unlessMissing(rename(temporary, final).then(() => true))) !== true) {
        await mkdir(dirname(final), { recursive: true, mode: 0o700 });
        await rename(temporary, final);
      }
      written = final;
      await flushFolder(dirname(final));
    },
    abort: async () => {
      await file.close().catch(() => {}); // already closed by a commit
      await rm(written, { force: true });
    },
  };
}

async function* filesBelow(folder: string, prefix: string): AsyncGenerator<string> {
  const entries = (await unlessMissing(readdir(join(folder, prefix), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const key = `${prefix}${entry.name}`;
    if (!entry.isDirectory()) yield key;
    else if (entry.name !== unfinishedFolder) yield* filesBelow(folder, `${key}/`);
  }
}

/** Removes a folder and its parents if they are empty. */
async function removeEmpty(path: string, root: string): Promise<void> {
  if (path === root) return;
  const removed = await rmdir(path).then(
    () => true,
    () => false, // not empty, or gone
  );
  if (removed) await removeEmpty(dirname(path), root);
}
