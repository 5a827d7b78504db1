import { createHash, type Hash, hash, randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ByteBudget } from "../limits/byte-budget.ts";

/** More than that of one envelope or attachment is never kept in memory. */
const inMemoryBytesMax = 65_536;
/** The memory for held bytes in this process. */
const budget = new ByteBudget(32 * 1_048_576);

/** Bytes that are kept while the rest of a request comes. */
export type HeldBytes = {
  /** Adds to them; the caller must await a returned promise. */
  write: (chunk: Buffer) => Promise<void> | undefined;
  /** All of them, or those from `start` up to and without `end`, in memory. */
  read: (start?: number, end?: number) => Promise<Buffer>;
  byteLength: () => number;
  sha256: () => Buffer;
  /** Whether they are in a file: not many should read such bytes at once. */
  isLarge: () => boolean;
  /** Lets go of them. */
  release: () => Promise<void>;
};

/**
 * Keeps bytes for as long as their request lasts: the first 64 KiB in memory, as long as all of those take at most 32 MiB
 * of the process, and else in a file in `folder` that has no name, so that nothing is left where the process is killed.
 */
export function holdBytes(folder: string): HeldBytes {
  let chunks: Buffer[] = [];
  let inMemory = 0;
  let file: FileHandle | undefined;
  let inFile = 0;
  let digest: Hash | undefined;

  const append = async (chunk: Buffer) => {
    digest?.update(chunk);
    await file?.appendFile(chunk);
    inFile += chunk.length;
  };
  const moveToFile = async (chunk: Buffer) => {
    const path = join(folder, `.held-${randomUUID()}`);
    file = await open(path, "wx+", 0o600);
    await unlink(path);
    digest = createHash("sha256");
    for (const held of chunks) await append(held);
    forget();
    await append(chunk);
  };
  const forget = () => {
    budget.give(inMemory);
    inMemory = 0;
    chunks = [];
  };
  return {
    write: (chunk) => {
      if (file) return append(chunk);
      if (inMemory + chunk.length > inMemoryBytesMax || !budget.take(chunk.length)) return moveToFile(chunk);
      inMemory += chunk.length;
      chunks.push(chunk);
      return undefined;
    },
    read: async (start = 0, end = file ? inFile : inMemory) => {
      if (file) return readBytes(file, start, end);
      const whole = Buffer.concat(chunks, inMemory);
      chunks = [whole];
      return whole.subarray(start, end);
    },
    byteLength: () => (file ? inFile : inMemory),
    sha256: () => (digest ? digest.copy().digest() : hash("sha256", Buffer.concat(chunks, inMemory), "buffer")),
    isLarge: () => file !== undefined,
    release: async () => {
      forget();
      await file?.close();
      file = undefined;
    },
  };
}

async function readBytes(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(end - start);
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, offset, bytes.length - offset, start + offset);
    if (bytesRead === 0) throw new Error("a file of held bytes is shorter than what was written to it");
    offset += bytesRead;
  }
  return bytes;
}
