import type { IncomingMessage } from "node:http";
import { type DeclaredAttachment, envelopePartName } from "@lodge/contract/envelope";
import { attachmentsMax } from "@lodge/contract/limits";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { encodingOf } from "../../platform/http/decode-body.ts";
import { boundaryOf, type Part, readParts } from "../../platform/http/read-parts.ts";
import { type AcceptedEvent, findEvent } from "./accept-event.ts";
import { type ReceivedEnvelope, readEnvelope } from "./read-envelope.ts";
import { compare, type ReceivedAttachment, receiveAttachment } from "./receive-attachment.ts";
import { factsReader } from "./report-facts.ts";
import { Uploads } from "./store-report.ts";

/** The envelope and its attachments (interface section 8). */
const partsMax = 1 + attachmentsMax;

type Stored = ReceivedAttachment & { storeKey: string };

/**
 * Receives a report from the body of a request. Parts are verified while they stream, stored once, and never held whole
 * in memory (interface section 4.2; contract section 3, steps 4 to 10). When it returns, the event with all its
 * artifacts is stored; if it throws, nothing is. Throws the refusals of interface section 7.2.
 */
export async function receiveReport(
  deps: Deps,
  app: { organisationId: string; id: string; keyId: string; replies: boolean; filterDepth: number | null },
  request: IncomingMessage,
): Promise<AcceptedEvent> {
  const { config } = deps;
  const boundary = boundaryOf(request.headers["content-type"]);
  if (boundary === undefined) throw new Refusal("no_parts");
  const malformed = () => new Refusal("invalid_multipart");
  if (boundary === "") throw malformed();
  const encoding = encodingOf(request.headers["content-encoding"], malformed);

  const uploads = new Uploads(deps);
  const attachments = new Map<string, Stored>();
  let received: ReceivedEnvelope | undefined;
  let partsBeforeEnvelope = 0;
  let original: AcceptedEvent | undefined;
  let lookedUp = false;
  let reachedMax = false;
  /** The error of a part before the envelope. Thrown later, since the report may be known or the envelope invalid. */
  let early: Refusal | undefined;

  const announcedTooLarge = Number(request.headers["content-length"] ?? 0) > config.ingestRequestBytesMax;
  const declaredAttachments = (): readonly DeclaredAttachment[] => received?.attachments ?? [];
  const declaration = (name: string) => declaredAttachments().find(({ partName }) => partName === name);
  const tooLarge = () => {
    const declaredMore = declaredAttachments().some(({ byteLength }) => byteLength > config.ingestAttachmentBytesMax);
    return new Refusal(reachedMax || declaredMore ? "attachment_too_large" : "payload_too_large");
  };
  const isKnown = async ({ reportId, bytes }: ReceivedEnvelope) => {
    if (!lookedUp) original = await findEvent(deps, app.id, reportId, bytes.sha256());
    lookedUp = true;
    return original !== undefined;
  };

  const receive = async (part: Part) => {
    if (attachments.size === attachmentsMax || attachments.has(part.name)) throw unexpected(part.name);
    const { upload, storeKey } = await uploads.create();
    const attachment = await receiveAttachment(part, upload, declaration(part.name), (byteLength) => {
      reachedMax = byteLength > config.ingestAttachmentBytesMax;
      if (reachedMax) throw tooLarge();
    });
    attachments.set(part.name, { ...attachment, storeKey });
  };

  const limits = {
    bytesMax: config.ingestRequestBytesMax,
    tooLarge,
    idleMs: config.ingestIdleMs,
    decoding: encoding && { encoding, folder: config.dataDir, sender: app.id },
  };
  try {
    try {
      for await (const part of readParts(request, boundary, limits)) {
        if (part.name !== envelopePartName) {
          if (received && declaration(part.name) === undefined) throw unexpected(part.name);
          if (!received && ++partsBeforeEnvelope > partsMax) throw new Refusal("envelope_part_missing");
          await receive(part).catch(async (error: unknown) => {
            if (received || !isOfPart(error)) throw error;
            early ??= error;
            await drain(part);
          });
          continue;
        }
        if (received) throw unexpected(part.name);
        received = await readEnvelope(part, config.dataDir, factsReader(app.filterDepth));
        const more = announcedTooLarge || early || attachments.size > 0 || declaredAttachments().length > 0;
        if (more && (await isKnown(received))) break;
        if (announcedTooLarge) throw tooLarge();
        if (early) throw early;
        for (const attachment of attachments.values()) {
          const declared = declaration(attachment.partName);
          if (!declared) throw unexpected(attachment.partName);
          compare(attachment, declared);
        }
      }
    } catch (error) {
      // A known report gets its event as the answer, whatever is sent with it.
      if (!(error instanceof Refusal && received && (await isKnown(received)))) throw error;
    }
    if (original) return original;
    if (!received) throw new Refusal(early || attachments.size > 0 ? "envelope_part_missing" : "no_parts");
    const missing = declaredAttachments().find(({ partName }) => !attachments.has(partName));
    if (missing) throw new Refusal("attachment_missing", { partName: missing.partName });

    const { reportId, installId, facts, bytes } = received;
    const artifacts = declaredAttachments().flatMap((declared, position) => {
      const stored = attachments.get(declared.partName);
      if (!stored) return [];
      const { partName, byteLength, sha256, storeKey } = stored;
      const { filename = null, contentType = null } = declared;
      return [{ position, partName, filename, contentType, byteLength, sha256, storeKey }];
    });
    return await uploads.store(app, { reportId, installId, facts }, bytes, bytes.byteLength(), artifacts);
  } finally {
    await received?.bytes.release();
    await uploads.settle();
  }
}

/** Whether only one part is wrong, so that the parts after it can still be read. */
const isOfPart = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.code === "attachment_unexpected" || error.code === "sha256_mismatch");

/** Reads and discards the rest of a part. */
async function drain({ bytes }: Part): Promise<void> {
  for await (const _ of bytes);
}

const unexpected = (partName: string) => new Refusal("attachment_unexpected", { partName });
