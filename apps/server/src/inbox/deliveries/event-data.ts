import type { Deps } from "../../platform/deps.ts";
import { envelopePart, makeLink } from "../artifacts/artifact-links.ts";
import type { OutgoingProblem } from "../problems/problem-of-event.ts";

/** Larger envelopes are linked instead of included (contract section 4). */
export const includedEnvelopeBytesMax = 262_144;

/** An event with everything that messages contain. */
export type OutgoingEvent = {
  eventId: string;
  appId: string;
  reportId: string;
  receivedAt: Date;
  /** Null if the envelope is too large to include. */
  envelope: Buffer | null;
  attachments: {
    partName: string;
    filename: string | null;
    contentType: string | null;
    byteLength: number;
    sha256: string;
  }[];
};

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The JSON of an event that receivers get. It never changes, except for the links, which are new each time,
 * and the problem, which is current. The envelope is copied byte for byte without parsing it, because it may nest
 * deeper than a serialiser can handle.
 */
export function writeEventData(deps: Deps, event: OutgoingEvent, problem: OutgoingProblem | null): Buffer {
  const { eventId, appId, reportId, envelope } = event;
  const link = (part: string) => makeLink(deps, { appId, eventId, part });
  const receivedAt = event.receivedAt.toISOString();
  const attachments = event.attachments.map((attachment, position) => ({ ...attachment, url: link(`${position}`) }));
  const url = `${deps.urls.base}/events/${eventId}`;
  const head = JSON.stringify({ eventId, appId, reportId, receivedAt, url, problem }).slice(0, -1);
  const tail = `,"attachments":${JSON.stringify(attachments)}}`;
  if (!envelope) return Buffer.from(`${head},"envelopeUrl":${JSON.stringify(link(envelopePart))}${tail}`);
  return Buffer.concat([Buffer.from(`${head},"envelope":`), withoutMark(envelope), Buffer.from(tail)]);
}

const withoutMark = (envelope: Buffer) =>
  envelope.subarray(0, 3).equals(byteOrderMark) ? envelope.subarray(3) : envelope;
