import type { Readable } from "node:stream";

/** The store could not do what it was asked. */
export class StoreError extends Error {
  override name = "StoreError";
}

/** An object on its way into the store. Nobody sees it before `commit`, which returns when its bytes are flushed. */
export type Upload = {
  write: (chunk: Buffer) => Promise<void>;
  commit: () => Promise<void>;
  /** Leaves nothing behind; also after a commit. A file that cannot be deleted now is left to the sweep. */
  abort: () => Promise<void>;
};

/** The headers of a download by which a browser saves it, and never shows or runs it. */
export type SavedAs = { contentType: string; contentDisposition: string };

/** Where the bytes of attachments lie. Keys are paths of letters, digits, `-` and `/`. */
export type Store = {
  create: (key: string) => Promise<Upload>;
  /** The bytes of an object, or those from `start` to `end`, both inclusive. Undefined where there is no such object. */
  read: (key: string, range?: { start: number; end: number }) => Promise<Readable | undefined>;
  /**
   * An address at which anybody gets an object from the store itself, by this method, under these headers, for five
   * minutes. Undefined where only servers reach it, or there is no such object.
   */
  presign: (key: string, method: "GET" | "HEAD", headers: SavedAs) => Promise<string | undefined>;
  /** Deletes objects; one that does not exist is no error. */
  delete: (keys: readonly string[]) => Promise<void>;
  /** The keys of the objects whose key begins with `prefix`, a path that ends in `/` or nothing at all, in no order. */
  list: (prefix: string) => AsyncIterable<string>;
  /** Deletes what uploads before this time left behind when their process was killed. */
  deleteUnfinished: (before: Date) => Promise<void>;
  /** Throws where it cannot be written to. */
  check: () => Promise<void>;
};
