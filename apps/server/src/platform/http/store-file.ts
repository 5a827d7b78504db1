import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Deps } from "../deps.ts";
import { Refusal } from "../errors.ts";
import type { Upload } from "../store/store.ts";
import { makeStoreKey } from "../store/store-key.ts";
import { countRead } from "./collect-buffers.ts";
import { watchBody } from "./watch-body.ts";

/** The rules for a body that is one file. */
type FileRules = {
  bytesMax: number;
  /** The refusal of a larger file. */
  tooLarge: () => Refusal;
  /** Called with each chunk before it is written. An error ends the upload. */
  onPiece?: (piece: Buffer) => void;
  /** Called when all chunks have arrived. An error ends the upload. */
  onEnd?: () => void;
};

type StoredFile = { storeKey: string; byteLength: number; sha256: Buffer };

/**
 * Writes a request's body to the store as a file while it arrives, and calls `record` to insert its row. Deletes the
 * file if `record` throws or returns the row of another file. Returns the row, and whether it belongs to this file.
 * Throws `unavailable` if a disk is full, `tooLarge`, `request_timeout`, and the errors of `record`.
 */
export async function storeFile<Row extends { store_key: string }>(
  { store, clock, config, disks }: Pick<Deps, "store" | "clock" | "config" | "disks">,
  source: IncomingMessage,
  rules: FileRules,
  record: (file: StoredFile) => Promise<Row>,
): Promise<{ row: Row; isKept: boolean }> {
  disks.requireRoom();
  if (Number(source.headers["content-length"] ?? 0) > rules.bytesMax) throw rules.tooLarge();
  const storeKey = makeStoreKey(clock.now());
  const upload = await store.create(storeKey);
  let isKept = false;
  try {
    const received = await receive(source, upload, config.ingestIdleMs, rules);
    await upload.commit();
    isKept = true; // after a lost connection, the row may exist: then only the sweep may delete the file
    const row = await record({ ...received, storeKey });
    isKept = row.store_key === storeKey;
    return { row, isKept };
  } catch (error) {
    if (error instanceof Refusal) isKept = false;
    throw error;
  } finally {
    if (!isKept) await upload.abort();
  }
}

async function receive(
  source: IncomingMessage,
  upload: Upload,
  idleMs: number,
  { bytesMax, tooLarge, onPiece, onEnd }: FileRules,
): Promise<{ byteLength: number; sha256: Buffer }> {
  const hash = createHash("sha256");
  let byteLength = 0;
  let writing = false;
  const stalled = Promise.withResolvers<never>();
  stalled.promise.catch(() => {}); // if the body has arrived, nothing waits for it
  const giveUp = () => stalled.reject(new Refusal("request_timeout", {}, { connection: "close" }));
  const watched = watchBody(idleMs, () => writing || source.complete, giveUp);
  const chunks = source.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const { done, value } = (await Promise.race([chunks.next(), stalled.promise])) as IteratorResult<Buffer, unknown>;
      if (done) break;
      watched.came(value.length);
      countRead(value.length);
      byteLength += value.length;
      if (byteLength > bytesMax) throw tooLarge();
      onPiece?.(value);
      hash.update(value);
      writing = true;
      await upload.write(value);
      writing = false;
    }
  } finally {
    watched.stop();
  }
  onEnd?.();
  return { byteLength, sha256: hash.digest() };
}
