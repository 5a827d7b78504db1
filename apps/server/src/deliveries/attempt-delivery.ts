import type { Deps } from "../platform/deps.ts";
import { sendMessage } from "../platform/outbound/send-message.ts";
import type { Outbound } from "./kinds/kind.ts";
import { actingKinds, isPosting, postingKinds } from "./kinds/kinds.ts";
import type { Attempt } from "./open-lanes.ts";

/** Attempts a delivery as its subscriber's kind has it. What fails by our own fault is logged, and tried again. */
export const attemptDelivery =
  (deps: Deps, outbound: Outbound): Attempt =>
  async (delivery) => {
    const { kind } = delivery;
    try {
      if (!isPosting(kind)) return await actingKinds[kind](deps, delivery, outbound);
      const { url, headers, body } = postingKinds[kind](deps, delivery);
      return await sendMessage(outbound.agent, url, headers, body);
    } catch (error) {
      deps.log.error({ err: error, deliveryId: delivery.id }, "an attempt failed by our fault");
      return { status: null, response: null, reason: "Lodge failed; its log says why." };
    }
  };
