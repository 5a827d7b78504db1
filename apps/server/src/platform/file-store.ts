import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "./errors.ts";
import type { Store, Upload } from "./store.ts";

const unfinishedFolder = ".unfinished";

/** A store in a folder, made where it is missing. */
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
    delete: async (keys) => {
      for (const key of keys) await rm(join(folder, key), { force: true });
    },
    list: (prefix) => filesBelow(folder, prefix),
    deleteUnfinished: async (before) => {
      for await (const { key, modifiedAt } of filesBelow(folder, `${unfinishedFolder}/`)) {
        if (modifiedAt < before) await rm(join(folder, key), { force: true });
      }
    },
    check,
  };
}

/** Written to a temporary name, flushed, renamed, and the name flushed: whole under its key, or not there at all. */
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
      const folder = await open(dirname(final), "r");
      await folder.sync().finally(() => folder.close());
    },
    abort: async () => {
      await file.close().catch(() => {}); // closed already by a commit
      await rm(written, { force: true });
    },
  };
}

async function* filesBelow(folder: string, prefix: string): AsyncGenerator<{ key: string; modifiedAt: Date }> {
  const entries = (await unlessMissing(readdir(join(folder, prefix), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const key = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== unfinishedFolder) yield* filesBelow(folder, `${key}/`);
      continue;
    }
    const found = await unlessMissing(stat(join(folder, key)));
    if (found) yield { key, modifiedAt: found.mtime };
  }
}

async function unlessMissing<T>(outcome: Promise<T>): Promise<T | undefined> {
  try {
    return await outcome;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
