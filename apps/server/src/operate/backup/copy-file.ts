import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { unlessMissing } from "../../platform/files.ts";

/** The size and hash of a copied file. */
export type Copied = { bytes: number; sha256: string };

/** The bytes of a file that are read at a time. */
export const chunkBytes = 1 << 20;

/** Copies a file to a new path and flushes it. Returns its size and hash; undefined if it was deleted. */
export async function copyFile(from: string, to: string): Promise<Copied | undefined> {
  const source = await unlessMissing(open(from, "r"));
  return source && writeStream(source.createReadStream({ highWaterMark: chunkBytes }), to);
}

/** Writes a stream to a new file and flushes it. Returns its size and hash. */
export async function writeStream(chunks: AsyncIterable<Buffer>, to: string): Promise<Copied> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const target = await open(to, "wx", 0o600);
  try {
    const copied = await passOn(chunks, (chunk) => target.writeFile(chunk));
    await target.datasync();
    return copied;
  } finally {
    await target.close();
  }
}

/** Passes a stream on, chunk by chunk, and returns its size and hash. */
export async function passOn(
  chunks: AsyncIterable<Buffer>,
  write: (chunk: Buffer) => Promise<unknown>,
): Promise<Copied> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    await write(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
