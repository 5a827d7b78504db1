import { isUtf8 } from "node:buffer";
import { createGunzip } from "node:zlib";
import { type DeclaredAttachment, Envelope, envelopePartName } from "@lodge/contract/envelope";
import type { Problem } from "@lodge/contract/errors";
import { compileCheck } from "@lodge/contract/problems";
import { Refusal } from "../../platform/errors.ts";
import type { Part } from "../../platform/http/read-parts.ts";
import { type HeldBytes, holdBytes } from "../../platform/store/hold-bytes.ts";
import { collector, largeChecks } from "./collect-json.ts";
import { digesting } from "./content-digest.ts";
import type { ReportFacts } from "./report-facts.ts";

const schema = compileCheck(Envelope);
const inflatedChunkBytes = 65_536;

/** The fields needed from a valid envelope, and its decompressed bytes. */
export type ReceivedEnvelope = {
  reportId: string;
  installId: string | undefined;
  attachments: readonly DeclaredAttachment[];
  /** Only if they were asked for. */
  facts: ReportFacts | undefined;
  bytes: HeldBytes;
};

/**
 * Reads and validates the part named envelope, and gunzips it if its content type or its first bytes say so. Never
 * inflates more than 5 MB, and parses no more values than an envelope may have. The caller releases `bytes`. Throws
 * `envelope_too_large`, `sha256_mismatch`, `envelope_invalid_json` or `schema_validation_failed` (contract section 3,
 * step 6), or `unavailable` if too many large envelopes wait to be checked.
 */
export async function readEnvelope(
  part: Part,
  folder: string,
  readFacts?: (envelope: Envelope) => ReportFacts,
): Promise<ReceivedEnvelope> {
  const digest = digesting(part);
  const bytes = holdBytes(folder);
  try {
    await collect(part, digest.bytes, bytes);
    digest.verify();
    const read = async () => check(await bytes.read(), readFacts);
    return { ...(await (bytes.isLarge() ? largeChecks.run(read) : read())), bytes };
  } catch (error) {
    await bytes.release();
    throw error;
  }
}

/**
 * Returns only what is needed later, because everything else in the envelope would stay in memory until the request
 * ends.
 */
function check(
  bytes: Buffer,
  readFacts: ((envelope: Envelope) => ReportFacts) | undefined,
): Omit<ReceivedEnvelope, "bytes"> {
  const envelope = parse(bytes);
  const problems = [...schema.problemsOf(envelope), ...duplicateNames(envelope)];
  if (problems.length > 0) throw new Refusal("schema_validation_failed", { details: problems });
  const { reportId, installId, attachments = [] } = envelope as Envelope;
  return {
    reportId,
    installId,
    facts: readFacts?.(envelope as Envelope),
    attachments: attachments.map(({ partName, sha256, byteLength, filename, contentType }) => ({
      partName,
      sha256,
      byteLength,
      ...(filename !== undefined && { filename }),
      ...(contentType !== undefined && { contentType }),
    })),
  };
}

/** Collects an envelope, and inflates it if its part is gzip. */
async function collect(part: Part, sent: AsyncIterable<Buffer>, held: HeldBytes): Promise<void> {
  const keep = collector(held, {
    tooLarge: () => new Refusal("envelope_too_large"),
    tooMuch: (message) => new Refusal("schema_validation_failed", { details: [{ path: "", message }] }),
  });
  const { gzipped, whole } = await sniff(part.contentType, sent);
  try {
    if (gzipped) await inflate(whole, keep);
    else await keep(whole);
  } catch (error) {
    throw isOfZlib(error) ? new Refusal("envelope_invalid_json") : error;
  }
}

const isOfZlib = (error: unknown) => /^Z_/.test((error as NodeJS.ErrnoException).code ?? "");

/** Not a pipeline, which would wait for more bytes before it reports that those so far are invalid. */
async function inflate(sent: AsyncIterable<Buffer>, keep: (inflated: AsyncIterable<Buffer>) => Promise<void>) {
  const gunzip = createGunzip({ chunkSize: inflatedChunkBytes });
  const feed = async () => {
    for await (const chunk of sent) await new Promise((resolve) => gunzip.write(chunk, resolve));
    gunzip.end();
  };
  const fed = feed().catch((error: Error) => {
    gunzip.destroy(error);
  });
  await keep(gunzip);
  await fed; // may still be reading padding after the last member
}

/** Recognises gzip by the content type or the two magic bytes. `whole` includes those bytes. */
async function sniff(contentType: string, sent: AsyncIterable<Buffer>) {
  const iterator = sent[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const named = /^application\/(json\+)?gzip *(;|$)/i.test(contentType);
  const whole = (async function* () {
    if (head.length > 0) yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  return { gzipped: named || (head[0] === 0x1f && head[1] === 0x8b), whole };
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Refusal("envelope_invalid_json");
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    throw new Refusal("envelope_invalid_json");
  }
}

/** Checks the names of parts, which a schema cannot: each is used once, and none is the envelope's. */
function duplicateNames(envelope: unknown): Problem[] {
  const declared: unknown = (envelope as Partial<Envelope> | null)?.attachments;
  if (!Array.isArray(declared)) return [];
  const seen = new Set<unknown>([envelopePartName]);
  return declared.slice(0, 100).flatMap((attachment: { partName?: unknown } | null, index) => {
    const name = attachment?.partName;
    const isDuplicate = typeof name === "string" && seen.has(name);
    seen.add(name);
    return isDuplicate ? [{ path: `/attachments/${index}/partName`, message: "is already used" }] : [];
  });
}
