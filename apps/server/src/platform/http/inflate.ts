import type { Transform } from "node:stream";

/**
 * Bytes through a decoder of zlib's, as they come. Not a pipeline, which would wait for the next bytes before it tells that
 * those so far are wrong. Throws `broken()` for what does not fit the decoder, or ends early. Leaves `sent` as it is where
 * its reader stops early.
 */
export async function* inflate(
  decoder: Transform,
  sent: AsyncIterable<Buffer>,
  broken: () => Error,
): AsyncGenerator<Buffer> {
  decoder.on("error", () => {}); // also where nobody reads any more
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
