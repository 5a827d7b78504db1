import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Refusal } from "../errors.ts";
import { Gate } from "../limits/gate.ts";
import { Pace } from "../limits/pace.ts";
import { holdBytes } from "../store/hold-bytes.ts";
import { inflate } from "./inflate.ts";
import { type BodyLimits, readWire, type Wire } from "./read-wire.ts";

/** The supported content encodings of bodies. */
export type Encoding = "gzip" | "deflate" | "br" | "zstd";

const chunkSize = 65_536;
/**
 * The number of decoded bytes of a body above which all such bodies share a rate, and that rate in bytes per second.
 */
const unpacedBytes = 65_536;
const pace = new Pace(32 * 1_048_576);
/** Decoders that take up to 16 MB each. They only start once the body has arrived, to not wait for slow clients. */
const largeDecoders = new Gate({ runningMax: 4, waitingMax: 256, waitingOfOneMax: 32 });
/** The largest window, 8 MiB: the minimum that a decoder must support (RFC 9659). */
const zstdWindowLogMax = 23;

const decoders = {
  gzip: () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
} as const;

/** The content encoding of a request; undefined if it has none. Throws `unknown()` for others, and for several. */
export function encodingOf(header: string | undefined, unknown: () => Refusal): Encoding | undefined {
  const named = (header ?? "").trim().toLowerCase();
  if (named === "" || named === "identity") return undefined;
  const encoding = named === "x-gzip" ? "gzip" : named;
  if (!Object.hasOwn(decoders, encoding)) throw unknown();
  return encoding as Encoding;
}

/** The options for reading a body. */
export type DecodedLimits = BodyLimits & {
  encoding: Encoding | undefined;
  /** The folder for bodies that must arrive before they are decoded, and the sender, for a fair order among senders. */
  folder: string;
  sender: string;
  /** The limit of bytes in `folder`; defaults to `bytesMax`. */
  heldBytesMax?: number;
  /** The refusal of a truncated body, or of one that cannot be decoded. */
  broken: () => Refusal;
  /** Stops the read, even while it waits for bytes. */
  signal: AbortSignal;
};

/**
 * Decodes the bytes of a request's body as they arrive. `bytesMax` applies to the sent and to the decoded bytes, of
 * which only a few chunks are in memory. Callers can stop at any point, which leaves the rest unread. Throws the errors
 * of `readWire`, and `unavailable` if too many bodies wait for a decoder.
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

/** Decodes a body after all of it has arrived, so that a large decoder is only in use for a short time. */
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

/** Waits for a place in a gate, and returns a function that frees it. */
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
