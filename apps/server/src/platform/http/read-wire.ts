import type { IncomingMessage } from "node:http";
import { Refusal } from "../errors.ts";
import { countRead } from "./collect-buffers.ts";
import { watchBody } from "./watch-body.ts";

/** The limits of a body. */
export type BodyLimits = {
  bytesMax: number;
  /** The refusal of a body above `bytesMax`. */
  tooLarge: () => Refusal;
  /** The idle timeout. A body that takes longer must arrive at 1,000 bytes a second or more. */
  idleMs: number;
};

/** The undecoded bytes of a request's body. */
export type Wire = {
  /** The next bytes, or undefined at the end. Throws the refusal of the body. */
  next: () => Promise<Buffer | undefined>;
  /** Stops reading, even during `next`. The rest stays unread. */
  close: () => void;
};

/**
 * Reads the body of a request without decoding it. Refuses a truncated one with `broken()`, a stalled or slow one with
 * `request_timeout`, and one above `bytesMax` with `tooLarge()`.
 */
export function readWire(source: IncomingMessage, limits: BodyLimits, broken: () => Refusal): Wire {
  let failure: Refusal | undefined;
  let wake = () => {};
  let asked = false;
  let bytes = 0;
  const fail = (refusal: Refusal) => {
    failure ??= refusal;
    wake();
  };
  const isOursToMove = () => source.complete || !asked || source.readableLength > 0;
  // A small body has arrived completely while its sender was authenticated.
  const watched = source.complete
    ? undefined
    : watchBody(limits.idleMs, isOursToMove, () => fail(new Refusal("request_timeout")));
  const onReadable = () => wake();
  const onClose = () => {
    if (!source.readableEnded) fail(broken());
  };
  const onHalfClose = () => {
    if (!source.complete) fail(broken());
  };
  source.on("readable", onReadable).on("end", onReadable).on("error", onClose).on("close", onClose);
  source.socket.on("end", onHalfClose);
  if (source.destroyed) onClose();
  if (source.socket.readableEnded) onHalfClose();

  const count = (chunk: Buffer) => {
    watched?.came(chunk.length);
    countRead(chunk.length);
    bytes += chunk.length;
    if (bytes > limits.bytesMax) throw limits.tooLarge();
    return chunk;
  };
  return {
    next: async () => {
      asked = true;
      try {
        for (;;) {
          if (failure) throw failure;
          const chunk = source.read() as Buffer | null;
          if (chunk !== null) return count(chunk);
          if (source.readableEnded) return undefined;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        asked = false;
      }
    },
    close: () => {
      watched?.stop();
      source.off("readable", onReadable).off("end", onReadable).off("error", onClose).off("close", onClose);
      source.on("error", () => {}); // nothing reads the rest
      source.socket.off("end", onHalfClose);
      fail(broken());
    },
  };
}
