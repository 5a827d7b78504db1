import { unseal } from "../../platform/config/seal.ts";
import type { Deps } from "../../platform/deps.ts";
import { inSpan } from "../../platform/observe/tracing.ts";
import { openAddress } from "../../platform/outbound/receiver-address.ts";
import { type Outcome, sendMessage } from "../../platform/outbound/send-message.ts";
import { sendOpened } from "../../platform/outbound/send-opened.ts";
import type { Outbound } from "./kinds/kind.ts";
import { actingKinds, isPosting, postingKinds } from "./kinds/kinds.ts";
import type { Attempt } from "./open-lanes.ts";
import type { TakenDelivery } from "./take-deliveries.ts";

/** Decrypts the address and the secrets of a delivery's subscriber, for one attempt. Throws `Unreadable`. */
export const openDelivery = (
  { sealing }: Pick<Deps, "sealing">,
  { subscriberId: id, url, sealedUrl, secrets }: TakenDelivery,
): { url: string; isUrlSecret: boolean; secrets: string[] } => ({
  url: openAddress(sealing, "subscribers.sealed_url", { id, url, sealed_url: sealedUrl }),
  isUrlSecret: sealedUrl !== null,
  secrets: secrets.map((secret) => unseal(sealing, "signing_secrets.secret", id, secret).toString()),
});

/**
 * Attempts a delivery as the subscriber's kind requires. Errors in Lodge itself are logged, and the attempt is retried.
 */
export const attemptDelivery =
  (deps: Deps, outbound: Outbound): Attempt =>
  (delivery) => {
    const { kind, id, traceparent: parent, retryCount } = delivery;
    const attributes = { "lodge.delivery.id": id, "lodge.subscriber.kind": kind, "lodge.delivery.retry": retryCount };
    return inSpan(deps.tracer, { name: `deliver ${kind}`, kind: "producer", attributes, parent }, async (span) => {
      const outcome = await attempt(deps, outbound, delivery);
      if (outcome.status !== null) span?.set({ "http.response.status_code": outcome.status });
      span?.set({ "lodge.delivery.outcome": outcome.reason === null ? "delivered" : "failed" });
      return outcome;
    });
  };

async function attempt(deps: Deps, outbound: Outbound, delivery: TakenDelivery): Promise<Outcome> {
  try {
    if (delivery.kind === "board") return await act(deps, outbound, delivery);
    return await sendOpened(
      () => openDelivery(deps, delivery),
      (opened) => act(deps, outbound, { ...delivery, ...opened }),
    );
  } catch (error) {
    deps.log.error({ err: error, deliveryId: delivery.id }, "an attempt failed because of an error in Lodge");
    return { status: null, response: null, reason: "Lodge failed; its log says why." };
  }
}

async function act(deps: Deps, outbound: Outbound, delivery: TakenDelivery): Promise<Outcome> {
  const { kind } = delivery;
  // A board finds the problem when it files the card; messages about a reporter's answer do not include the problem.
  const problem = kind === "board" || delivery.reply !== null ? null : await outbound.findProblem(delivery);
  const told = { ...delivery, problem };
  if (!isPosting(kind)) return actingKinds[kind](deps, told, outbound);
  const { url, headers, body } = postingKinds[kind](deps, told);
  return sendMessage(outbound.agent, url, headers, body);
}
