import { envelopePart, makeLink } from "../artifacts/artifact-links.ts";
import type { Deps } from "../platform/deps.ts";
import type { TakenDelivery } from "./take-deliveries.ts";

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The message of a delivery (contract section 4). Everything in it was fixed when the event was accepted but the links,
 * which are made anew for each attempt. The envelope is put in byte for byte, never parsed: it may nest deeper than a
 * serialiser can follow. One above 256 KiB is linked as `envelopeUrl` instead.
 */
export function webhookBody(deps: Deps, delivery: TakenDelivery): Buffer {
  const { eventId, appId, reportId, envelope } = delivery;
  const link = (part: string) => makeLink(deps, { appId, eventId, part });
  const receivedAt = delivery.receivedAt.toISOString();
  const attachments = delivery.attachments.map((attachment, position) => ({ ...attachment, url: link(`${position}`) }));
  const head = `{"type":"report.received","timestamp":"${receivedAt}","data":${JSON.stringify({
    eventId,
    appId,
    reportId,
    receivedAt,
  }).slice(0, -1)}`;
  const tail = `,"attachments":${JSON.stringify(attachments)}}}`;
  if (!envelope) return Buffer.from(`${head},"envelopeUrl":${JSON.stringify(link(envelopePart))}${tail}`);
  return Buffer.concat([Buffer.from(`${head},"envelope":`), withoutMark(envelope), Buffer.from(tail)]);
}

const withoutMark = (envelope: Buffer) =>
  envelope.subarray(0, 3).equals(byteOrderMark) ? envelope.subarray(3) : envelope;
