import type { Reply, TakenDelivery } from "./take-deliveries.ts";

/** The message that tells a webhook of a reporter's answer: fixed when the answer was accepted, as messages never change. */
export function replyBody({ eventId, appId, reportId }: TakenDelivery, reply: Reply): Buffer {
  const { threadId, number, text } = reply;
  const createdAt = new Date(reply.createdAt).toISOString();
  const data = { eventId, appId, reportId, threadId, message: { number, text, createdAt } };
  return Buffer.from(JSON.stringify({ type: "reply.received", timestamp: createdAt, data }));
}
