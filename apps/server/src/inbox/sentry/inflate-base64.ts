import { createInflate } from "node:zlib";
import { inflate } from "../../platform/http/inflate.ts";
import { invalidEnvelope } from "./read-items.ts";

const chunkSize = 65_536;

/** Passes a JSON body through unchanged; decodes a body in base64 of zlib while it streams. */
export async function* inflateBase64(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = body[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (!first.done && first.value.toString("latin1").trim() === "") first = await iterator.next();
  if (first.done) return;
  const rest = async function* () {
    yield first.value as Buffer;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  if (first.value.toString("latin1").trimStart().startsWith("{")) yield* rest();
  else yield* inflate(createInflate({ chunkSize }), fromBase64(rest()), notZlib);
}

const notZlib = () => invalidEnvelope("", "is not zlib data in base64");

/** Four characters make three bytes: remaining characters wait for the next chunk. */
async function* fromBase64(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let over = "";
  for await (const chunk of text) {
    const characters = over + chunk.toString("latin1").replaceAll(/\s/g, "");
    if (!/^[\w+/-]*={0,2}$/.test(characters)) throw invalidEnvelope("", "is neither JSON nor base64");
    const length = characters.length - (characters.length % 4);
    over = characters.slice(length);
    if (length > 0) yield Buffer.from(characters.slice(0, length), "base64");
  }
  if (over !== "") yield Buffer.from(over, "base64");
}
