import type { Deps } from "../../platform/deps.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import { openHealthCounter } from "../subscribers/count-health.ts";
import { type WakePayload, wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";
import { attemptsMade } from "./measure-deliveries.ts";
import { runLanes } from "./run-lanes.ts";
import { settleAttempt } from "./settle-attempt.ts";
import { type TakenDelivery, takeDeliveries } from "./take-deliveries.ts";

/** Makes one attempt at a delivery. Never throws: an error is its outcome. */
export type Attempt = (delivery: TakenDelivery) => Promise<Outcome>;

/** The lanes of subscribers. `wake` resolves when every lane that it started has ended. */
export type Lanes = { wake: (payload: WakePayload) => Promise<void>; stop: () => Promise<void> };

/** Creates the lanes that attempt deliveries of subscribers for a worker. */
export function openLanes(deps: Deps, workerId: string, attempt: Attempt): Lanes {
  const health = openHealthCounter(deps);
  const lanes = runLanes<TakenDelivery>(deps, {
    attempt,
    take: ({ ownerId: appId, id }, underWay, count) => takeDeliveries(deps, workerId, { appId, id }, underWay, count),
    settle: (delivery, startedAt, ms, outcome) => settleAttempt(deps, workerId, delivery, startedAt, ms, outcome),
    measure: ({ ownerId: appId, id: subscriberId }, { kind }, startedAt, ms, isDelivered) => {
      attemptsMade.inc({ kind, outcome: isDelivered ? "delivered" : "failed" });
      health.count({ appId, subscriberId, startedAt, ms, isDelivered });
    },
    bytesOf: ({ envelope }) => envelope?.length ?? 0,
    leave: ({ ownerId, id }) =>
      deps.pool.query(wakeSubscribersSql("select $1::uuid, json_build_array($2::uuid), now()"), [ownerId, id]),
  });
  return {
    wake: ({ appId, subscriberIds }) => lanes.wake(subscriberIds.map((id) => ({ ownerId: appId, id }))),
    stop: async () => {
      await lanes.stop();
      await health.stop();
    },
  };
}
