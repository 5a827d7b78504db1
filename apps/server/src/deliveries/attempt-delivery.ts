import type { Dispatcher } from "undici";
import type { Deps } from "../platform/deps.ts";
import { signatureHeaders } from "../subscribers/sign-webhook.ts";
import { fileReport } from "../tickets/file-report.ts";
import type { Attempt } from "./open-lanes.ts";
import { replyBody } from "./reply-body.ts";
import { sendMessage } from "./send-message.ts";
import type { Outcome } from "./settle-attempt.ts";
import { slackBody } from "./slack-body.ts";
import { summariseReport } from "./summarise-report.ts";
import type { TakenDelivery } from "./take-deliveries.ts";
import { webhookBody } from "./webhook-body.ts";

/** Attempts deliveries: a signed message to a webhook, a message to Slack, a card on a board. */
export const attemptDelivery =
  (deps: Deps, agent: Dispatcher): Attempt =>
  async (delivery) => {
    try {
      return await attempt(deps, agent, delivery);
    } catch (error) {
      deps.log.error({ err: error, deliveryId: delivery.id }, "an attempt failed by our fault");
      return { status: null, response: null, reason: "Lodge failed; its log says why." };
    }
  };

function attempt(deps: Deps, agent: Dispatcher, delivery: TakenDelivery): Promise<Outcome> {
  switch (delivery.kind) {
    case "webhook": {
      const body = delivery.reply ? replyBody(delivery, delivery.reply) : webhookBody(deps, delivery);
      const headers = signatureHeaders(delivery.id, deps.clock.now(), body, delivery.secrets);
      return sendMessage(agent, delivery.url, headers, body);
    }
    case "slack":
      return sendMessage(agent, delivery.url, {}, slackBody(delivery.appName, summariseReport(deps, delivery)));
    case "board":
      return fileCard(deps, delivery);
  }
}

async function fileCard(deps: Deps, delivery: TakenDelivery): Promise<Outcome> {
  const { title, isUntitled, message, url } = summariseReport(deps, delivery);
  const filed = await fileReport(deps, {
    organisationId: delivery.organisationId,
    boardId: delivery.boardId,
    columnId: delivery.columnId,
    title: isUntitled ? `${delivery.appName}: ${title}` : title,
    message,
    url,
    authorName: delivery.appName,
    appId: delivery.appId,
    eventId: delivery.eventId,
    deliveryId: delivery.id,
  });
  return { status: null, response: null, reason: filed ? null : "The board has no column." };
}
