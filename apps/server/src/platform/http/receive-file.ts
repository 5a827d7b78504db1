import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Refusal } from "../errors.ts";
import type { Upload } from "../store/store.ts";
import { countRead } from "./collect-buffers.ts";
import { watchBody } from "./watch-body.ts";

/** What a body that is one file may be. */
export type FileRules = {
  idleMs: number;
  bytesMax: number;
  /** What a longer one is refused with. */
  tooLarge: () => Refusal;
  /** Is told of each piece before it is written; what it throws ends the upload. */
  onPiece?: (piece: Buffer) => void;
};

/** Writes a request's body into the store as it comes, hashed. Throws `tooLarge` or `request_timeout`. */
export async function receiveFile(
  source: IncomingMessage,
  upload: Upload,
  { idleMs, bytesMax, tooLarge, onPiece }: FileRules,
): Promise<{ byteLength: number; sha256: Buffer }> {
  const hash = createHash("sha256");
  let byteLength = 0;
  let writing = false;
  const stalled = Promise.withResolvers<never>();
  stalled.promise.catch(() => {}); // where the body has come, nobody waits for it
  const giveUp = () => stalled.reject(new Refusal("request_timeout", {}, { connection: "close" }));
  const watched = watchBody(idleMs, () => writing || source.complete, giveUp);
  const chunks = source.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const { done, value } = (await Promise.race([chunks.next(), stalled.promise])) as IteratorResult<Buffer, unknown>;
      if (done) break;
      watched.came(value.length);
      countRead(value.length);
      byteLength += value.length;
      if (byteLength > bytesMax) throw tooLarge();
      onPiece?.(value);
      hash.update(value);
      writing = true;
      await upload.write(value);
      writing = false;
    }
  } finally {
    watched.stop();
  }
  return { byteLength, sha256: hash.digest() };
}
