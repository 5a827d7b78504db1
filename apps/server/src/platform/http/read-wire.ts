import type { IncomingMessage } from "node:http";
import { Refusal } from "../errors.ts";
import { countRead } from "./collect-buffers.ts";
import { watchBody } from "./watch-body.ts";

/** The limits of a body before it is refused. */
export type BodyLimits = {
  bytesMax: number;
  /** The refusal of a body that has more than `bytesMax`. */
  tooLarge: () => Refusal;
  /** The time that it may send nothing; beyond that, it must come at 1,000 bytes a second at least. */
  idleMs: number;
};

/** The bytes of a request's body as they come. */
export type Wire = {
  /** The next bytes, or undefined at the end. Throws what the body is refused with. */
  next: () => Promise<Buffer | undefined>;
  /** Stops reading, even if somebody waits for the next bytes; the rest stays unread. */
  close: () => void;
};

/**
 * Reads the body of a request as it was sent. Refuses one that is cut with `broken()`, one that stalls or trickles with
 * `request_timeout`, and one that has more than `bytesMax` with `tooLarge()`.
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
  // A small one has come whole while its sender was asked who they are.
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
      source.on("error", () => {}); // nobody waits for the rest
      source.socket.off("end", onHalfClose);
      fail(broken());
    },
  };
}
