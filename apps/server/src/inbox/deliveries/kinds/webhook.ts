import type { Deps } from "../../../platform/deps.ts";
import { signatureHeaders } from "../../../platform/outbound/sign-webhook.ts";
import { writeEventData } from "../event-data.ts";
import type { OutgoingDelivery, Reply, TakenDelivery } from "../take-deliveries.ts";
import type { PostingKind } from "./kind.ts";

/** A message signed as Standard Webhooks defines (contract section 4). */
export const webhook: PostingKind = (deps, delivery) => {
  const body = delivery.reply ? replyBody(delivery, delivery.reply) : reportBody(deps, delivery);
  const headers = {
    ...signatureHeaders(delivery.id, deps.clock.now(), body, delivery.secrets),
    ...(delivery.replayId !== null && { "lodge-replay": delivery.replayId }),
  };
  return { url: delivery.url, headers, body };
};

function reportBody(deps: Deps, delivery: OutgoingDelivery): Buffer {
  const head = `{"type":"report.received","timestamp":"${delivery.receivedAt.toISOString()}","data":`;
  return Buffer.concat([Buffer.from(head), writeEventData(deps, delivery, delivery.problem), Buffer.from("}")]);
}

/** The message about a reporter's answer, always the same bytes: messages never change. */
function replyBody({ eventId, appId, reportId }: TakenDelivery, reply: Reply): Buffer {
  const { threadId, number, text } = reply;
  const createdAt = new Date(reply.createdAt).toISOString();
  const data = { eventId, appId, reportId, threadId, message: { number, text, createdAt } };
  return Buffer.from(JSON.stringify({ type: "reply.received", timestamp: createdAt, data }));
}
