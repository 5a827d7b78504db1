import { attachmentBytesMax, attachmentsMax, envelopeBytesMax, requestBytesMax } from "@lodge/contract/limits";
import type { Part, QueuedReport } from "./store.ts";
import type { Config, Dropped, Envelope } from "./types.ts";

/** The largest overhead of a part of a multipart body. */
const partBytes = 1000;

/** The fields to remove from an envelope that is too large, in this order. */
const dispensable = ["breadcrumbs", "context", "error", "message"] as const;

/**
 * Removes parts until the report fits the server's size limits, the largest attachments first, and lists them in
 * `dropped`. The limits default to those of the interface (section 8) until the deployment's are known.
 */
export function fitReport(
  { envelope, parts }: QueuedReport,
  {
    requestBytes = requestBytesMax,
    envelopeBytes = envelopeBytesMax,
    attachmentBytes = attachmentBytesMax,
    attachments = attachmentsMax,
  }: Partial<Config["limits"]> = {},
  reason = "too_large",
): QueuedReport {
  const fitting: Envelope = { ...envelope };
  const dropped: Dropped[] = [...(envelope.dropped ?? [])];
  for (const name of dispensable) {
    if (bytesOf(fitting) <= envelopeBytes - partBytes) break;
    if (fitting[name] === undefined) continue;
    dropped.push({ partName: name, reason, byteLength: bytesOf(fitting[name]) });
    delete fitting[name];
  }
  let kept = parts;
  const leaveOut = (part: Part, why: string) => {
    kept = kept.filter((other) => other !== part);
    dropped.push({ partName: part.filename, reason: why, byteLength: part.byteLength });
  };
  for (const part of parts.filter(({ byteLength }) => byteLength > attachmentBytes)) leaveOut(part, reason);
  for (const part of kept.slice(attachments)) leaveOut(part, "too_many");
  const total = () => kept.reduce((sum, part) => sum + part.byteLength + partBytes, bytesOf(fitting) + partBytes);
  for (const part of [...kept].sort((one, other) => other.byteLength - one.byteLength)) {
    if (total() > requestBytes) leaveOut(part, reason);
  }
  return {
    parts: kept,
    envelope: {
      ...fitting,
      attachments: kept[0] && kept.map(({ bytes: _, ...declared }) => declared),
      dropped: dropped[0] && dropped,
    } as Envelope,
  };
}

const bytesOf = (value: unknown) => new Blob([JSON.stringify(value)]).size;
