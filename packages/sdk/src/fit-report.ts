import { attachmentBytesMax, attachmentsMax, envelopeBytesMax, requestBytesMax } from "@lodge/contract/limits";
import type { QueuedReport } from "./store.ts";
import type { Config, Dropped, Envelope } from "./types.ts";

/** The limits of the interface (section 8), for as long as nobody knows those of the deployment. */
const interfaceLimits: Config["limits"] = {
  requestBytes: requestBytesMax,
  envelopeBytes: envelopeBytesMax,
  attachmentBytes: attachmentBytesMax,
  attachments: attachmentsMax,
};

/** What a part of a multipart body takes beside its bytes, at most. */
const partBytes = 1000;

/** What is left out of an envelope that is too large, in this order. */
const dispensable = ["breadcrumbs", "context", "error", "message"] as const;

/** Leaves out what the server would refuse for its size, the largest first, and says so in the envelope. */
export function fitReport(
  { envelope, parts }: QueuedReport,
  limits: Partial<Config["limits"]> = {},
  reason = "too_large",
): QueuedReport {
  const { requestBytes, envelopeBytes, attachmentBytes, attachments } = { ...interfaceLimits, ...limits };
  const fitting: Envelope = { ...envelope };
  const dropped: Dropped[] = [...(envelope.dropped ?? [])];
  for (const name of dispensable) {
    if (bytesOf(fitting) <= envelopeBytes - partBytes) break;
    if (fitting[name] === undefined) continue;
    dropped.push({ partName: name, reason, byteLength: bytesOf(fitting[name]) });
    delete fitting[name];
  }
  let kept = parts;
  const leaveOut = (part: QueuedReport["parts"][number] | undefined, why: string) => {
    kept = kept.filter((other) => other !== part);
    if (part) dropped.push({ partName: part.filename ?? part.partName, reason: why, byteLength: part.byteLength });
  };
  for (const part of parts.filter(({ byteLength }) => byteLength > attachmentBytes)) leaveOut(part, reason);
  for (const part of kept.slice(attachments)) leaveOut(part, "too_many");
  const total = () => kept.reduce((sum, part) => sum + part.byteLength + partBytes, bytesOf(fitting) + partBytes);
  while (kept.length > 0 && total() > requestBytes) {
    leaveOut([...kept].sort((one, other) => other.byteLength - one.byteLength)[0], reason);
  }
  delete fitting.attachments;
  delete fitting.dropped;
  return {
    parts: kept,
    envelope: {
      ...fitting,
      ...(kept.length > 0 && { attachments: kept.map(({ bytes: _, ...declared }) => declared) }),
      ...(dropped.length > 0 && { dropped }),
    },
  };
}

const bytesOf = (value: unknown) => new Blob([JSON.stringify(value)]).size;
