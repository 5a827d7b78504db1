import { envelopePart, makeLink } from "../../artifacts/artifact-links.ts";
import type { Deps } from "../../platform/deps.ts";
import { signatureHeaders } from "../../subscribers/sign-webhook.ts";
import { sendMessage } from "../send-message.ts";
import type { Reply, TakenDelivery } from "../take-deliveries.ts";
import type { Kind } from "./kinds.ts";

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** A message that is signed as Standard Webhooks has it (contract section 4). */
export const webhook: Kind = ({ deps, agent }, delivery) => {
  const body = delivery.reply ? replyBody(delivery, delivery.reply) : reportBody(deps, delivery);
  return sendMessage(
    agent,
    delivery.url,
    signatureHeaders(delivery.id, deps.clock.now(), body, delivery.secrets),
    body,
  );
};

/**
 * The message of a delivery. Everything in it was fixed when the event was accepted but the links, which are made anew for
 * each attempt. The envelope is put in byte for byte, never parsed: it may nest deeper than a serialiser can follow. One
 * above 256 KiB is linked as `envelopeUrl` instead.
 */
function reportBody(deps: Deps, delivery: TakenDelivery): Buffer {
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

/** The message that tells of a reporter's answer: fixed when the answer was accepted, as messages never change. */
function replyBody({ eventId, appId, reportId }: TakenDelivery, reply: Reply): Buffer {
  const { threadId, number, text } = reply;
  const createdAt = new Date(reply.createdAt).toISOString();
  const data = { eventId, appId, reportId, threadId, message: { number, text, createdAt } };
  return Buffer.from(JSON.stringify({ type: "reply.received", timestamp: createdAt, data }));
}

const withoutMark = (envelope: Buffer) =>
  envelope.subarray(0, 3).equals(byteOrderMark) ? envelope.subarray(3) : envelope;
