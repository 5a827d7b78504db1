import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { unlessMissing } from "../../platform/files.ts";

/** The copied bytes of a file. */
export type Copied = { bytes: number; sha256: string };

/** Files are read by so much at a time. */
export const chunkBytes = 1 << 20;

/** Copies a file to where none is yet, flushed, and returns what was copied of it. Undefined where it is gone. */
export async function copyFile(from: string, to: string): Promise<Copied | undefined> {
  const source = await unlessMissing(open(from, "r"));
  return source && writeStream(source.createReadStream({ highWaterMark: chunkBytes }), to);
}

/** Writes what comes to a file where none is yet, flushed, and returns what it was. */
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

/** Hands on what comes, piece by piece, and returns what it was. */
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
