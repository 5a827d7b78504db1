import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Dicer } from "@fastify/busboy";
import { Refusal } from "../errors.ts";
import { countRead } from "./collect-buffers.ts";
import { decodeBody, type Encoding } from "./decode-body.ts";
import type { BodyLimits } from "./read-wire.ts";
import { watchBody } from "./watch-body.ts";

/** A part of a multipart body. `bytes` can be read once, and must be read before the next part. */
export type Part = {
  name: string;
  contentType: string;
  /** The part's Content-Digest header (RFC 9530), if it has one. */
  contentDigest: string | undefined;
  bytes: AsyncIterable<Buffer>;
};

/** The options for reading a form; `decoding` is for a form with a content encoding. */
export type FormLimits = BodyLimits & { decoding?: { encoding: Encoding; folder: string; sender: string } | undefined };

const headerPairsMax = 32;
const headerBytesMax = 8192;
const boundaryLengthMax = 70; // RFC 2046, section 5.1.1

/**
 * The boundary of a multipart/form-data content type. Undefined for another type, empty if the boundary is missing or
 * too long.
 */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (!/^multipart\/form-data[ \t]*(;|$)/i.test(contentType ?? "")) return undefined;
  const [, quoted, plain] = /;[ \t]*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? "") ?? [];
  const boundary = quoted ?? plain ?? "";
  return boundary.length > boundaryLengthMax ? "" : boundary;
}

/**
 * Yields the parts of a multipart/form-data body in their order, as streams. Only holds a few chunks of the body,
 * except for encodings that `decodeBody` buffers. Throws `invalid_multipart` if the body is truncated or malformed,
 * `request_timeout` if it stalls or is too slow, and `limits.tooLarge()` if it is too large. If the caller stops early,
 * the rest of the body stays unread.
 */
export async function* readParts(source: IncomingMessage, boundary: string, limits: FormLimits): AsyncGenerator<Part> {
  const options = { boundary, maxHeaderPairs: headerPairsMax, maxHeaderSize: headerBytesMax }; // missing in its types
  const parser = new Dicer(options);
  const waiting: Part[] = [];
  let current: Readable | undefined;
  let nameless = 0;
  let failure: Error | undefined;
  let finished = false;
  let wake = () => {};
  let body: Feed | undefined;

  const fail = (error: Error, broken: Readable | undefined) => {
    failure ??= error;
    body?.unpipe();
    broken?.destroy(failure);
    wake();
  };

  parser.on("part", (part) => {
    part.on("error", () => fail(malformed(), part));
    if (failure) return void part.destroy(failure); // the parser processes its buffered input first
    current = part;
    nameless += 1;
    part.on("header", (received: object) => {
      const headers = received as Record<string, string[]>;
      const name = partName(headers["content-disposition"]?.[0]);
      if (name === undefined) return fail(malformed(), part);
      nameless -= 1;
      waiting.push({
        name,
        contentType: headers["content-type"]?.[0] ?? "",
        contentDigest: headers["content-digest"]?.join(", "),
        bytes: bytesOf(part, () => failure),
      });
      wake();
    });
  });
  const finish = () => {
    finished = true;
    wake();
  };
  // Parts before an early end are complete; the truncated part throws by itself.
  parser.on("error", () => (body?.byteLength() ? fail(malformed(), undefined) : finish()));
  parser.on("finish", finish);

  const feed = limits.decoding ? feedDecoded : feedPlain;
  body = feed(source, parser, limits, (error) => fail(error, current));
  if (failure) body.unpipe();
  try {
    for (;;) {
      const part = waiting.shift();
      if (part) {
        yield part;
        continue;
      }
      if (failure) throw failure;
      if (finished) break;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    if (nameless > 0) throw malformed();
  } finally {
    body.stop();
    current?.destroy();
  }
}

const malformed = () => new Refusal("invalid_multipart");

/** A body that is piped into the parser. */
type Feed = { byteLength: () => number; unpipe: () => void; stop: () => void };
type Fail = (error: Error) => void;

/** Pipes a body into the parser. A generator in between would make a small report a tenth slower. */
function feedPlain(source: IncomingMessage, parser: Dicer, limits: FormLimits, fail: Fail): Feed {
  let bytes = 0;
  const isOursToMove = () => source.complete || parser.writableLength > 0;
  // A small body has arrived completely while its sender was authenticated.
  const watched = source.complete
    ? undefined
    : watchBody(limits.idleMs, isOursToMove, () => fail(new Refusal("request_timeout")));
  const onData = (chunk: Buffer) => {
    watched?.came(chunk.length);
    countRead(chunk.length);
    bytes += chunk.length;
    if (bytes > limits.bytesMax) fail(limits.tooLarge());
  };
  // A closed connection discards received but unread data, even of a complete body.
  const onClose = () => {
    if (!source.readableEnded) fail(malformed());
  };
  const onHalfClose = () => {
    if (!source.complete) fail(malformed());
  };
  source.on("data", onData);
  source.on("error", onClose);
  source.on("close", onClose);
  source.socket.on("end", onHalfClose);
  source.pipe(parser);
  if (source.destroyed) onClose(); // before anything listened for it
  if (source.socket.readableEnded) onHalfClose();
  return {
    byteLength: () => bytes,
    unpipe: () => source.unpipe(parser),
    stop: () => {
      watched?.stop();
      source.off("data", onData).off("error", onClose).on("error", ignore); // otherwise it would keep a reference to the parser
      source.off("close", onClose);
      source.socket.off("end", onHalfClose);
      source.unpipe(parser);
      source.pause();
    },
  };
}

/** The same for a body with a content encoding. */
function feedDecoded(source: IncomingMessage, parser: Dicer, { decoding, ...limits }: FormLimits, fail: Fail): Feed {
  if (!decoding) throw new Error("a body without an encoding to decode");
  const stopping = new AbortController();
  const decode = { ...limits, ...decoding, broken: malformed, signal: stopping.signal };
  const decoded = Readable.from(decodeBody(source, decode), { objectMode: false });
  let bytes = 0;
  decoded.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  decoded.on("error", fail);
  decoded.pipe(parser);
  return {
    byteLength: () => bytes,
    unpipe: () => decoded.unpipe(parser),
    stop: () => {
      stopping.abort();
      decoded.destroy();
    },
  };
}

const ignore = () => {};

async function* bytesOf(part: Readable, failure: () => Error | undefined): AsyncGenerator<Buffer> {
  try {
    yield* part as AsyncIterable<Buffer>;
    part._read(0); // a parser that paused at the last bytes of a part gets no event when they are read
  } catch (error) {
    throw failure() ?? error;
  }
}

/** The name in a form-data Content-Disposition, unescaped like browsers escape it; undefined if there is none. */
function partName(disposition = ""): string | undefined {
  if (!/^form-data[ \t;]/i.test(disposition)) return undefined;
  const parameters = disposition
    .slice("form-data".length)
    .matchAll(/[ \t]*;[ \t]*([^=;\s]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/gy);
  const [, , quoted, plain] = parameters.find(([, parameter]) => parameter?.toLowerCase() === "name") ?? [];
  const name = quoted?.replaceAll(/\\(["\\])/g, "$1") ?? plain;
  if (name === undefined) return undefined;
  // Node decodes headers as Latin-1; names are UTF-8.
  return Buffer.from(name, "latin1")
    .toString("utf8")
    .replaceAll(/%22|%0D|%0A/gi, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));
}
