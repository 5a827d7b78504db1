import { Refusal } from "../../platform/errors.ts";

/** An item of a Sentry envelope. An envelope is a line of JSON followed by items, each a line of JSON and bytes. */
export type Item = {
  type: string;
  header: Record<string, unknown>;
  /** The number of bytes, if the header has it; otherwise the bytes end with the line. */
  length: number | undefined;
  /** Can be read once, before the next item is requested. */
  bytes: AsyncGenerator<Buffer>;
};

/** The parts of an envelope: its header first, then its items as they arrive. */
export type Items = { header: Record<string, unknown>; next: () => Promise<Item | undefined> };

const lineBytesMax = 65_536;
const itemsMax = 1_000;
const newline = 0x0a;

/** The refusal of an invalid envelope; `path` says where the error is. */
export const invalidEnvelope = (path: string, message: string) =>
  new Refusal("invalid_sentry_envelope", { details: [{ path, message }] });

/**
 * Reads an envelope while it streams, with at most a line or a chunk in memory. Throws `invalid_sentry_envelope` if its
 * framing is broken, a line is not JSON or exceeds 64 KiB, or there are more than 1,000 items.
 */
export async function readItems(body: AsyncIterator<Buffer>): Promise<Items> {
  const reader = new Reader(body);
  const first = await reader.line("/header");
  if (first === undefined) throw invalidEnvelope("", "is empty");
  const header = parseLine(first, "/header");
  let count = 0;
  let current: AsyncGenerator<Buffer> | undefined;
  return {
    header,
    next: async () => {
      for await (const _ of current ?? []);
      const path = `/items/${count}/header`;
      let line = await reader.line(path);
      while (line !== undefined && line.length === 0) line = await reader.line(path);
      if (line === undefined) return undefined;
      if (count === itemsMax) throw invalidEnvelope("/items", `must have at most ${itemsMax} items`);
      const itemHeader = parseLine(line, path);
      const { type, length } = itemHeader;
      if (typeof type !== "string") throw invalidEnvelope(`${path}/type`, "must be a string");
      if (length !== undefined && length !== null && !isLength(length)) {
        throw invalidEnvelope(`${path}/length`, "must be a whole number of bytes");
      }
      const known = isLength(length) ? length : undefined;
      current = known === undefined ? reader.toNewline() : reader.take(known, `/items/${count}`);
      count += 1;
      return { type, header: itemHeader, length: known, bytes: current };
    },
  };
}

const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function parseLine(line: Buffer, path: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line.toString("utf8"));
  } catch {
    throw invalidEnvelope(path, "is not JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw invalidEnvelope(path, "must be an object");
  }
  return parsed as Record<string, unknown>;
}

/** Reads a stream of chunks by line and by length. */
class Reader {
  readonly #body: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(body: AsyncIterator<Buffer>) {
    this.#body = body;
  }

  /** Waits until there are unread bytes. Returns false at the end of the body. */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#body.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }

  #cut(length: number): Buffer {
    const cut = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return cut;
  }

  /** The next line without its line end, or undefined at the end of the body. */
  async line(path: string): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    let length = 0;
    while (await this.#fill()) {
      const end = this.#rest.indexOf(newline);
      const chunk = this.#cut(end < 0 ? this.#rest.length : end);
      length += chunk.length;
      if (length > lineBytesMax) throw invalidEnvelope(path, `must have at most ${lineBytesMax} bytes`);
      chunks.push(chunk);
      if (end < 0) continue;
      this.#cut(1);
      return Buffer.concat(chunks, length);
    }
    return length > 0 ? Buffer.concat(chunks, length) : undefined;
  }

  /** The next `length` bytes, and the line end after them. */
  async *take(length: number, path: string): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (!(await this.#fill())) throw invalidEnvelope(path, `ends ${left} bytes early`);
      const chunk = this.#cut(left);
      left -= chunk.length;
      yield chunk;
    }
    if ((await this.#fill()) && this.#cut(1)[0] !== newline) {
      throw invalidEnvelope(path, "is longer than its header says");
    }
  }

  /** The bytes up to the end of the line or of the body. */
  async *toNewline(): AsyncGenerator<Buffer> {
    while (await this.#fill()) {
      const end = this.#rest.indexOf(newline);
      if (end !== 0) yield this.#cut(end < 0 ? this.#rest.length : end);
      if (end < 0) continue;
      this.#cut(1);
      return;
    }
  }
}
