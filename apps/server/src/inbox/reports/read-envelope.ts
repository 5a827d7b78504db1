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

/**
 * The required parts of a valid envelope, and the bytes that it was read from: decompressed, otherwise as they were
 * sent.
 */
export type ReceivedEnvelope = {
  reportId: string;
  installId: string | undefined;
  attachments: readonly DeclaredAttachment[];
  /** Where they are asked for. */
  facts: ReportFacts | undefined;
  bytes: HeldBytes;
};

/**
 * Reads the part named envelope, gunzips it where its content type or its first bytes say so, and checks it. Never
 * inflates more than 5 MB, and parses no more values than an envelope may have. The reader releases its bytes. Throws
 * `envelope_too_large`, `sha256_mismatch`, `envelope_invalid_json` or `schema_validation_failed` (contract section 3,
 * step 6), and `unavailable` where too many large envelopes wait to be checked.
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

/** Only what is needed outlives the check: whatever else an envelope holds would stay for as long as its request lasts. */
function check(
  bytes: Buffer,
  readFacts: ((envelope: Envelope) => ReportFacts) | undefined,
): Omit<ReceivedEnvelope, "bytes"> {
  const envelope = parse(bytes);
  const problems = [...schema.problemsOf(envelope), ...strangeNames(envelope)];
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

/** Collects an envelope, inflated where its part is gzip. */
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

/** Not a pipeline, which would wait for the next bytes before it tells that those so far are wrong. */
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
  await fed; // the padding after the last member
}

/** Tells by the content type or the two magic bytes whether a part is gzip; `whole` has those bytes too. */
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

/** Rules for the names of parts that a schema cannot express: each is used once, and none is the envelope's. */
function strangeNames(envelope: unknown): Problem[] {
  const declared: unknown = (envelope as Partial<Envelope> | null)?.attachments;
  if (!Array.isArray(declared)) return [];
  const seen = new Set<unknown>([envelopePartName]);
  return declared.slice(0, 100).flatMap((attachment: { partName?: unknown } | null, index) => {
    const name = attachment?.partName;
    const strange = typeof name === "string" && seen.has(name);
    seen.add(name);
    return strange ? [{ path: `/attachments/${index}/partName`, message: "is already used" }] : [];
  });
}
