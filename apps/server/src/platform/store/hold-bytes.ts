import { createHash, type Hash, hash, randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ByteBudget } from "../limits/byte-budget.ts";

/** The most bytes of an envelope or attachment in memory. */
const inMemoryBytesMax = 65_536;
/** The memory limit for held bytes in this process. */
const budget = new ByteBudget(32 * 1_048_576);

/** Bytes that are kept while the rest of a request arrives. */
export type HeldBytes = {
  /** Appends bytes. The caller must await a returned promise. */
  write: (chunk: Buffer) => Promise<void> | undefined;
  /** Reads all bytes, or those from `start` to `end` (exclusive), into memory. */
  read: (start?: number, end?: number) => Promise<Buffer>;
  byteLength: () => number;
  sha256: () => Buffer;
  /** Whether the bytes are in a file. Limit concurrent reads of such bytes. */
  isLarge: () => boolean;
  /** Frees the bytes. */
  release: () => Promise<void>;
};

/**
 * Keeps bytes for the duration of their request: the first 64 KiB in memory, up to 32 MiB for the whole process, and
 * the rest in an unnamed file in `folder`, of which nothing is left if the process is killed.
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
    if (bytesRead === 0) throw new Error("a file of held bytes is shorter than the bytes written to it");
    offset += bytesRead;
  }
  return bytes;
}
