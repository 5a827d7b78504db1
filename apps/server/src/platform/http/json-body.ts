import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { invalidInput } from "../errors.ts";

/** What is said of a body of another content type, or of none that can be read. */
export const jsonWanted = "The body must be JSON: send it with Content-Type: application/json";

/** Reads the JSON of a request's body. Throws `invalid_input`, its problem at the path "" (the body itself). */
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

/** Reads a stream whole, or returns undefined as soon as it has more than `bytesMax` or is cut. */
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
