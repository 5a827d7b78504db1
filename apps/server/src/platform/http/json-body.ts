import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { invalidInput, Refusal, unavailable } from "../errors.ts";
import { ByteBudget } from "../limits/byte-budget.ts";
import { countRead } from "./collect-buffers.ts";
import { watchBody } from "./watch-body.ts";

/** The message for a body without a JSON content type. */
export const jsonWanted = "The body must be JSON: send it with Content-Type: application/json";

/** The memory limit for all bodies that are being read. */
const budget = new ByteBudget(64 * 1_048_576);

/** The error for a body above `bytesMax`, whose rest is not read. */
const bodyTooLarge = (bytesMax: number) =>
  new Refusal(
    "invalid_input",
    { details: [{ path: "", message: `The body must have at most ${bytesMax} bytes` }] },
    { connection: "close" },
  );

/**
 * Reads a whole request body of at most `bytesMax`, or the route's `bodyLimit` if that is smaller. Throws
 * `invalid_input` if it is larger, `request_timeout` if it stalls for `idleMs` or is too slow, and `unavailable` if all
 * bodies of this process exceed 64 MiB.
 */
export async function readBody(
  request: FastifyRequest,
  { bytesMax: doorBytesMax, idleMs }: { bytesMax: number; idleMs: number },
): Promise<Buffer> {
  const { raw: source, routeOptions } = request;
  const bytesMax = Math.min(doorBytesMax, routeOptions.bodyLimit ?? doorBytesMax);
  if (Number(source.headers["content-length"] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
  const chunks: Buffer[] = [];
  let byteLength = 0;
  const { promise: read, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(new Refusal("request_timeout", {}, { connection: "close" }));
  // A small body has arrived completely while its sender was authenticated.
  const watched = source.complete ? undefined : watchBody(idleMs, () => source.complete, giveUp);
  const onData = (chunk: Buffer) => {
    watched?.came(chunk.length);
    countRead(chunk.length);
    if (byteLength + chunk.length > bytesMax) return reject(bodyTooLarge(bytesMax));
    if (!budget.take(chunk.length)) return reject(unavailable());
    byteLength += chunk.length;
    chunks.push(chunk);
  };
  const onCut = () => {
    if (!source.readableEnded) reject(new Refusal("bad_request"));
  };
  source.on("data", onData).on("end", resolve).on("error", onCut).on("close", onCut);
  try {
    await read;
    return Buffer.concat(chunks, byteLength);
  } finally {
    watched?.stop();
    source.off("data", onData).off("end", resolve).off("close", onCut);
    budget.give(byteLength);
  }
}

/** Parses the JSON of a request's body. Throws `invalid_input` with the path "" (the body itself). */
export function parseJson(headers: IncomingHttpHeaders, body: Buffer): unknown {
  const refuse = (message: string) => invalidInput([{ path: "", message }]);
  if (!/^application\/json *(;|$)/i.test(headers["content-type"] ?? "")) {
    throw refuse(jsonWanted);
  }
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
    throw refuse("The body must not be compressed");
  }
  if (body.length === 0) throw refuse("The body is empty; it must be a JSON object");
  if (!isUtf8(body)) throw refuse("The body must be valid UTF-8");
  try {
    return JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw refuse(`The body must be valid JSON: ${(error as Error).message}`);
  }
}
/** Reads a whole stream; returns undefined if it is larger than `bytesMax` or truncated. */
export async function readAtMost(stream: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > bytesMax) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
