import { link, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import type { Config, S3Settings } from "../../platform/config/config.ts";
import { OperatorError } from "../../platform/errors.ts";
import { flushFolder, unlessMissing } from "../../platform/files.ts";
import { openS3, textsOf } from "../../platform/store/s3-requests.ts";
import { openS3Store } from "../../platform/store/s3-store.ts";
import { StoreError } from "../../platform/store/store.ts";
import { type Copied, chunkBytes, copyFile, passOn } from "./copy-file.ts";

/** The location of a backup: a folder, or objects with a prefix. Files have their paths in the data directory. */
export type BackupPlace = {
  /** As people name it. */
  name: string;
  /** Where another backup place of the same kind can take files from: a folder, or a prefix in a bucket. */
  at: { folder: string } | { prefix: string };
  /** The number of files to copy at a time: each waits for the disk or a response. */
  atOnce: number;
  /** Creates it if it is missing; throws an `OperatorError` if it is not empty. */
  prepare: () => Promise<void>;
  /** Copies a file of this machine there and flushes it to disk; undefined if the file was deleted. */
  put: (path: string, from: string) => Promise<Copied | undefined>;
  /** The same for a text. */
  write: (path: string, text: string) => Promise<void>;
  /** Takes a file over from another backup without sending it. */
  takeOver: (path: string, last: BackupPlace) => Promise<void>;
  read: (path: string) => Promise<Readable | undefined>;
  /** Creates a folder, which may stay empty. */
  makeFolder: (path: string) => Promise<void>;
  /** Flushes the entries of folders to disk. */
  flush: (folders: readonly string[]) => Promise<void>;
  /** Deletes everything. */
  empty: () => Promise<void>;
};

/** The place that a command names: `s3://bucket/prefix`, with the S3_* settings, or a folder. */
export async function openPlace(config: Config, name: string): Promise<BackupPlace> {
  if (!name.startsWith("s3://")) return folderPlace(resolve(name));
  const [, bucket = "", prefix = ""] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w.-]+(?:\/[\w.-]+)*)\/?$/.exec(name) ?? [];
  if (!bucket) {
    throw new OperatorError(
      `${name} is not an s3://bucket/prefix. A bucket's name has 3 to 63 lowercase letters, digits, dots and -. A prefix has letters, digits, dots, - and _.`,
    );
  }
  if (!config.s3Account) {
    throw new OperatorError(
      `${name} needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and S3_ENDPOINT unless it is at Amazon.`,
    );
  }
  return objectsPlace({ ...config.s3Account, bucket }, prefix, config.dataDir);
}

function folderPlace(folder: string): BackupPlace {
  return {
    name: folder,
    at: { folder },
    atOnce: 4,
    prepare: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
        throw new OperatorError(`Cannot make the folder ${folder}: ${error.message}`);
      });
      const found = await readdir(folder);
      if (found.length > 0)
        throw new OperatorError(`${folder} is not empty: name a folder of its own for each backup.`);
    },
    put: (path, from) => copyFile(from, join(folder, path)),
    write: async (path, text) => {
      const to = join(folder, path);
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await writeFile(`${to}.unfinished`, text, { mode: 0o600, flush: true });
      await rename(`${to}.unfinished`, to);
      await flushFolder(dirname(to));
    },
    takeOver: async (path, last) => {
      if (!("folder" in last.at)) {
        throw new OperatorError("--since must name a backup of the same kind: here, a folder");
      }
      const from = join(last.at.folder, path);
      await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
      await link(from, join(folder, path)).catch((error: NodeJS.ErrnoException) => {
        throw new OperatorError(
          error.code === "EXDEV"
            ? `${from} is on another disk: --since needs a backup on the same disk`
            : `cannot reuse ${from} of the last backup: ${error.message}`,
        );
      });
    },
    read: async (path) => {
      const file = await unlessMissing(open(join(folder, path), "r"));
      return file?.createReadStream();
    },
    makeFolder: async (path) => {
      await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
    },
    flush: async (paths) => {
      for (const path of paths) await flushFolder(join(folder, path));
    },
    empty: async () => {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    },
  };
}

async function objectsPlace(settings: S3Settings, prefix: string, dataDir: string): Promise<BackupPlace> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const store = await openS3Store(settings, dataDir);
  const ask = openS3(settings);
  const name = `s3://${settings.bucket}/${prefix}`;
  const keyOf = (path: string) => `${prefix}/${path}`;
  const put = async (path: string, chunks: AsyncIterable<Buffer>): Promise<Copied> => {
    const upload = await store.create(keyOf(path));
    try {
      const copied = await passOn(chunks, (chunk) => upload.write(chunk));
      await upload.commit();
      return copied;
    } catch (error) {
      await upload.abort();
      throw error;
    }
  };
  return {
    name,
    at: { prefix: `${settings.bucket}/${prefix}` },
    atOnce: 16,
    prepare: async () => {
      for await (const key of store.list(`${prefix}/`)) {
        throw new OperatorError(`${name} is not empty (${key}): name a prefix of its own for each backup.`);
      }
    },
    put: async (path, from) => {
      const file = await unlessMissing(open(from, "r"));
      return file && put(path, file.createReadStream({ highWaterMark: chunkBytes }));
    },
    write: async (path, text) => {
      await put(path, Readable.from([Buffer.from(text)]));
    },
    takeOver: async (path, last) => {
      if (!("prefix" in last.at)) {
        throw new OperatorError("--since must name a backup of the same kind: here, one in a bucket");
      }
      const from = `${last.at.prefix}/${path}`;
      const answer = await ask({
        method: "PUT",
        key: keyOf(path),
        headers: { "x-amz-copy-source": `/${from}` },
      });
      const said = await answer.text(); // S3 can report a failure in a response with status 200
      if (said.includes("<Error>")) throw new StoreError(`copying ${from}: ${textsOf(said, "Code")[0]}`);
    },
    read: (path) => store.read(keyOf(path)),
    makeFolder: async () => {},
    flush: async () => {},
    empty: async () => {
      const keys: string[] = [];
      for await (const key of store.list(`${prefix}/`)) keys.push(key);
      await store.delete(keys);
    },
  };
}
