import type { Transform } from "node:stream";

/**
 * Decodes bytes with zlib as they arrive. Not a pipeline, which would wait for the next bytes before it reports an
 * error. Throws `broken()` for invalid or truncated data. Does not close `sent` if the reader stops early.
 */
export async function* inflate(
  decoder: Transform,
  sent: AsyncIterable<Buffer>,
  broken: () => Error,
): AsyncGenerator<Buffer> {
  decoder.on("error", () => {}); // even if the reader has stopped
  const feed = async () => {
    for await (const chunk of sent) {
      if (decoder.destroyed) return;
      await new Promise((resolve) => decoder.write(chunk, resolve));
    }
    decoder.end();
  };
  feed().catch((error: Error) => decoder.destroy(error));
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    throw isOfDecoder(error) ? broken() : error;
  } finally {
    decoder.destroy();
  }
}

const isOfDecoder = (error: unknown) => /^(?:Z_|ZSTD_|ERR__ERROR_)/.test((error as NodeJS.ErrnoException).code ?? "");
