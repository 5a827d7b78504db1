import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { chooseEncoding, type Encoding } from "./choose-encoding.ts";

const answerBytesMin = 1_000;
/** Larger ones take the processor from others for too long. */
const answerBytesMax = 4_000_000;
/** With about half a megabyte each. Above that number, answers are sent uncompressed. */
const atOnceMax = 4;

// A board of 150 cards, 68 kB: brotli at 4 makes 9 kB in 1 ms; gzip at 6, 10 kB in 2 ms.
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const compressors: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }),
  gzip: (text) => gzipped(text, { level: 6 }),
};
let atOnce = 0;

/**
 * Compresses the JSON that the routes of `app` answer to GET, for clients that accept it. Other answers are not
 * compressed: the answer to a change may be a secret beside what the client sent, whose length would tell of it.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (request.method !== "GET" || typeof payload !== "string" || payload.length < answerBytesMin) return payload;
    reply.header("vary", "accept-encoding");
    const encoding = chooseEncoding(request.headers["accept-encoding"]);
    if (!encoding || atOnce >= atOnceMax || payload.length > answerBytesMax) return payload;
    atOnce++;
    try {
      const bytes = await compressors[encoding](payload);
      reply.header("content-encoding", encoding).removeHeader("content-length");
      return bytes;
    } finally {
      atOnce--;
    }
  });
}
