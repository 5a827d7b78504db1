import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Pace } from "../limits/pace.ts";
import { countRead } from "./collect-buffers.ts";
import { holdsBodyBack } from "./expect-continue.ts";
import { watchBody } from "./watch-body.ts";

const graceMs = 1_000;
/** Each chunk that is read is memory until it is collected, so a flood is read slowly: its clients wait, nobody else. */
const pace = new Pace(64 * 1_048_576);
const waitMsMax = 5_000;

/** The number of bytes to read of the rest of a body, and the time that it may be idle. */
type RestLimits = { bytesMax: number; idleMs: number };

/**
 * Lets a client that sends before it reads get to see its answer: reads on and throws away what it still sends, at most
 * 64 MiB a second of all clients. Ends the connection where more than `bytesMax` come or are announced, nothing for
 * `idleMs`, or too little in all, where so many send that it would have to wait for more than 5 s, and a second after the server was
 * told to stop (`closing`). To be called with the answer before it goes out; returns what is to be sent.
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
    reply.header("connection", "close"); // its client has ended its half: nothing more will come
    return answer;
  }
  const tooMuch = Number(source.headers["content-length"] ?? 0) > limits.bytesMax;
  const discarded = discard(source, tooMuch ? { ...limits, bytesMax: -1 } : limits, closing);
  if (tooMuch) reply.header("connection", "close");
  const keepsAlive = reply.raw.shouldKeepAlive && reply.getHeader("connection") !== "close";
  if (keepsAlive || typeof answer !== "string") return answer;

  // Node closes a connection as soon as its last answer has ended, and while something is unread that is a reset, which
  // may cost the client its answer. So it is sent at once and ended later.
  reply.header("content-length", Buffer.byteLength(answer));
  return Readable.from(
    (async function* () {
      yield answer;
      await discarded;
    })(),
  );
}

/** Returns when nothing more will be read. */
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
  // A proxy that has its answer may leave its connection open, and send nothing more: a stop does not wait for that.
  const onClosing = () => pauseFor(graceMs, () => socket.destroy());
  closing.addEventListener("abort", onClosing);
  const onData = (chunk: Buffer) => read(chunk.length);
  source.on("error", () => {}); // cut: nobody waits for the rest
  source.once("end", finish);
  socket.once("close", finish); // after its answer a request is not told that its connection is gone
  source.on("data", onData).resume();
  read(0);

  await finished;
  clearTimeout(waiting);
  watched.stop();
  closing.removeEventListener("abort", onClosing);
  source.off("data", onData);
  socket.off("close", finish);
}
