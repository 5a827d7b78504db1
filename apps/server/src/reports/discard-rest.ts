import type { IncomingMessage } from "node:http";

const graceMs = 1_000;

/**
 * Reads on and throws away what a client still sends after its answer, so that one that sends before it reads gets to
 * see the answer. Ends the connection where more than `bytesMax` come, or nothing for `idleMs`.
 */
export function discardRest(source: IncomingMessage, { bytesMax, idleMs }: { bytesMax: number; idleMs: number }): void {
  if (source.complete || source.destroyed) {
    source.resume();
    return;
  }
  const { socket } = source;
  const end = () => {
    source.pause();
    timer = setTimeout(() => socket.destroy(), graceMs);
  };
  let timer = setTimeout(() => socket.destroy(), idleMs);
  let bytes = 0;
  const announced = Number(source.headers["content-length"] ?? 0);
  source.on("error", () => {}); // cut: nobody waits for the rest
  source.once("close", () => clearTimeout(timer));
  source.once("end", () => clearTimeout(timer));
  if (announced > bytesMax) {
    clearTimeout(timer);
    end();
    return;
  }
  source.on("data", (chunk: Buffer) => {
    timer.refresh();
    bytes += chunk.length;
    if (bytes > bytesMax && !source.isPaused()) {
      clearTimeout(timer);
      end();
    }
  });
  source.resume();
}
