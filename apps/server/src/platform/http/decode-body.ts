import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Refusal } from "../errors.ts";
import { Gate } from "../limits/gate.ts";
import { Pace } from "../limits/pace.ts";
import { holdBytes } from "../store/hold-bytes.ts";
import { inflate } from "./inflate.ts";
import { type BodyLimits, readWire, type Wire } from "./read-wire.ts";

/** The content encodings that bodies may have. */
export type Encoding = "gzip" | "deflate" | "br" | "zstd";

const chunkSize = 65_536;
/**
 * The number of decoded bytes of a body before all such bodies together are slowed down, and their rate in bytes per
 * second.
 */
const unpacedBytes = 65_536;
const pace = new Pace(32 * 1_048_576);
/** A decoder of these takes up to 16 MB for as long as it works, so that it is not left waiting for a slow client. */
const largeDecoders = new Gate({ runningMax: 4, waitingMax: 256, waitingOfOneMax: 32 });
/** 8 MiB, which is what a decoder of a content encoding must support (RFC 9659), and no more. */
const zstdWindowLogMax = 23;

const decoders = {
  gzip: () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
} as const;

/**
 * The content encoding of a request: undefined for none. Throws `unknown()` for one that is not understood, and for
 * several.
 */
export function encodingOf(header: string | undefined, unknown: () => Refusal): Encoding | undefined {
  const named = (header ?? "").trim().toLowerCase();
  if (named === "" || named === "identity") return undefined;
  const encoding = named === "x-gzip" ? "gzip" : named;
  if (!Object.hasOwn(decoders, encoding)) throw unknown();
  return encoding as Encoding;
}

/** How a body is read. */
export type DecodedLimits = BodyLimits & {
  encoding: Encoding | undefined;
  /** Where bytes wait that cannot be decoded as they come, and who sent them: their bodies take turns with those of others. */
  folder: string;
  sender: string;
  /** The number of bytes that may wait there; `bytesMax` where it is left out. */
  heldBytesMax?: number;
  /** The refusal of a body that is cut, or that its encoding does not fit. */
  broken: () => Refusal;
  /** Stops the reading, also while the next bytes are awaited. */
  signal: AbortSignal;
};

/**
 * The bytes of a request's body, decoded as they come. `bytesMax` holds for what is sent and for what that decodes to, which
 * is never more ahead than a few chunks. Can be left at any point; the rest of the body stays unread then. Throws what
 * `readWire` throws, and `unavailable` where too many bodies wait to be decoded.
 */
export async function* decodeBody(source: IncomingMessage, limits: DecodedLimits): AsyncGenerator<Buffer> {
  if (limits.signal.aborted) return;
  const wire = readWire(source, limits, limits.broken);
  limits.signal.addEventListener("abort", wire.close, { once: true });
  try {
    const { encoding } = limits;
    if (encoding === undefined) yield* chunksOf(wire);
    else if (encoding === "gzip" || encoding === "deflate") yield* decode(chunksOf(wire), encoding, limits);
    else yield* decodeHeld(wire, encoding, limits);
  } finally {
    wire.close();
  }
}

async function* chunksOf(wire: Wire): AsyncGenerator<Buffer> {
  for (let chunk = await wire.next(); chunk !== undefined; chunk = await wire.next()) yield chunk;
}

async function* decode(
  sent: AsyncIterable<Buffer>,
  encoding: Encoding,
  { bytesMax, tooLarge, broken }: DecodedLimits,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of inflate(decoders[encoding](), sent, broken)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge();
    const waitMs = bytes > unpacedBytes ? pace.count(chunk.length) : 0;
    if (waitMs > 0) await sleep(waitMs);
    yield chunk;
  }
}

/** Decodes a body once it has come whole: its decoder takes much memory, but for a short while. */
async function* decodeHeld(wire: Wire, encoding: Encoding, limits: DecodedLimits): AsyncGenerator<Buffer> {
  const held = holdBytes(limits.folder);
  try {
    for await (const chunk of chunksOf(wire)) {
      await held.write(chunk);
      if (held.byteLength() > (limits.heldBytesMax ?? limits.bytesMax)) throw limits.tooLarge();
    }
    const leave = await enter(largeDecoders, limits.sender);
    try {
      yield* decode(slicesOf(held), encoding, limits);
    } finally {
      leave();
    }
  } finally {
    await held.release();
  }
}

async function* slicesOf(held: ReturnType<typeof holdBytes>): AsyncGenerator<Buffer> {
  const byteLength = held.byteLength();
  for (let start = 0; start < byteLength; start += chunkSize) {
    yield await held.read(start, Math.min(start + chunkSize, byteLength));
  }
}

/** Waits for a place within a gate, and returns how to give it back. */
async function enter(gate: Gate, sender: string): Promise<() => void> {
  const { promise: entered, resolve: begin, reject } = Promise.withResolvers<void>();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  gate
    .run(() => {
      begin();
      return left;
    }, sender)
    .catch(reject);
  await entered;
  return leave;
}
