import type { Readable } from "node:stream";

/** A request to the store failed. */
export class StoreError extends Error {
  override name = "StoreError";
}

/** An upload to the store. The object is not visible before `commit`, which resolves when its bytes are flushed. */
export type Upload = {
  write: (chunk: Buffer) => Promise<void>;
  commit: () => Promise<void>;
  /** Deletes the upload, even after a commit. If that fails, the sweep deletes it. */
  abort: () => Promise<void>;
};

/** The headers of a download that make a browser save it, and never display or execute it. */
export type SavedAs = { contentType: string; contentDisposition: string };

/** The store of attachments. Keys are paths of letters, digits, `-` and `/`. */
export type Store = {
  create: (key: string) => Promise<Upload>;
  /** The bytes of an object, or those from `start` to `end` (inclusive). Undefined if the object does not exist. */
  read: (key: string, range?: { start: number; end: number }) => Promise<Readable | undefined>;
  /**
   * A presigned URL of an object, valid for five minutes, with this method and these response headers. Undefined if
   * clients have no access to the store, or the object does not exist.
   */
  presign: (key: string, method: "GET" | "HEAD", headers: SavedAs) => Promise<string | undefined>;
  /** Deletes objects. Missing ones are ignored. */
  delete: (keys: readonly string[]) => Promise<void>;
  /** The keys that start with `prefix`, which is empty or ends with `/`, in any order. */
  list: (prefix: string) => AsyncIterable<string>;
  /** Deletes the remains of uploads before this time, whose process was killed. */
  deleteUnfinished: (before: Date) => Promise<void>;
  /** Throws if the store cannot be written to. */
  check: () => Promise<void>;
};
