import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Pace } from "../limits/pace.ts";
import { countRead } from "./collect-buffers.ts";
import { holdsBodyBack } from "./expect-continue.ts";
import { watchBody } from "./watch-body.ts";

const graceMs = 1_000;
/** Chunks use memory until they are garbage collected, so floods are read slowly. Only their own clients wait. */
const pace = new Pace(64 * 1_048_576);
const waitMsMax = 5_000;

/** The most bytes to read of the rest of a body, and its idle timeout. */
type RestLimits = { bytesMax: number; idleMs: number };

/**
 * Reads and discards the rest of a body, so that a client that sends before it reads receives the response. Reads at
 * most 64 MiB a second from all clients. Closes the connection above `bytesMax` (announced or received), if the client
 * stalls for `idleMs` or sends too slowly, if it would have to wait for more than 5 s because of other clients, and a
 * second after `closing`. Call this with the response before it is sent; returns the response to send.
 */
export function discardRest(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  limits: RestLimits,
  closing: AbortSignal,
) {
  const source = request.raw;
  if (source.complete || source.destroyed || holdsBodyBack(request)) {
    source.resume();
    return answer;
  }
  if (source.socket.readableEnded) {
    reply.header("connection", "close"); // the client closed its half, so nothing more will arrive
    return answer;
  }
  const tooMuch = Number(source.headers["content-length"] ?? 0) > limits.bytesMax;
  const discarded = discard(source, tooMuch ? { ...limits, bytesMax: -1 } : limits, closing);
  if (tooMuch) reply.header("connection", "close");
  const keepsAlive = reply.raw.shouldKeepAlive && reply.getHeader("connection") !== "close";
  if (keepsAlive || typeof answer !== "string") return answer;

  // Node closes a connection as soon as its last response has ended. With unread data that is a reset, which may lose
  // the response. So this sends the response immediately, but ends it later.
  reply.header("content-length", Buffer.byteLength(answer));
  return Readable.from(
    (async function* () {
      yield answer;
      await discarded;
    })(),
  );
}

/** Resolves when nothing more will be read. */
async function discard(source: IncomingMessage, { bytesMax, idleMs }: RestLimits, closing: AbortSignal): Promise<void> {
  const { socket } = source;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const watched = watchBody(
    idleMs,
    () => source.complete || waiting !== undefined,
    () => socket.destroy(),
  );
  let waiting: NodeJS.Timeout | undefined;
  let bytes = 0;
  const pauseFor = (ms: number, then: () => void) => {
    source.pause();
    waiting = setTimeout(() => {
      waiting = undefined;
      then();
    }, ms);
  };
  const read = (byteLength: number) => {
    bytes += byteLength;
    watched.came(byteLength);
    countRead(byteLength);
    const waitMs = pace.count(byteLength);
    if (bytes > bytesMax || waitMs > waitMsMax) return pauseFor(graceMs, () => socket.destroy());
    if (waitMs > 0) pauseFor(waitMs, () => source.resume());
  };
  // A proxy may keep its connection open after the response and send nothing more. A stop does not wait for that.
  const onClosing = () => pauseFor(graceMs, () => socket.destroy());
  closing.addEventListener("abort", onClosing);
  const onData = (chunk: Buffer) => read(chunk.length);
  source.on("error", () => {}); // the connection was closed
  source.once("end", finish);
  socket.once("close", finish); // after its response, a request gets no event for a closed connection
  source.on("data", onData).resume();
  read(0);

  await finished;
  clearTimeout(waiting);
  watched.stop();
  closing.removeEventListener("abort", onClosing);
  source.off("data", onData);
  socket.off("close", finish);
}
