import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../../platform/deps.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import { openHealthCounter } from "../subscribers/count-health.ts";
import { type WakePayload, wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";
import { attemptsBase, type LaneWidth, makeSpare, openLaneWidth } from "./lane-width.ts";
import { attemptsMade } from "./measure-deliveries.ts";
import { settleAttempt } from "./settle-attempt.ts";
import { type TakenDelivery, takeDeliveries } from "./take-deliveries.ts";

/** While the envelopes under way have more bytes than this, no lane has more than its base. */
const spareBytesMax = 16_777_216;
/** How long to wait before the database is asked again that has just failed. */
const databaseRetryMs = 1_000;

/** Makes one attempt at a delivery. Never throws: what goes wrong is its outcome. */
export type Attempt = (delivery: TakenDelivery) => Promise<Outcome>;

/**
 * One lane for each subscriber that has something due. A lane takes its subscriber's deliveries from the table, a few at
 * a time, as many as its subscriber is found to bear, and ends when none is due; so a slow subscriber holds up nobody else.
 */
export type Lanes = {
  /** Resolves when every lane that this call began has ended. A lane that runs already is told to look again. */
  wake: (payload: WakePayload) => Promise<void>;
  /** Lets the attempts under way finish, begins no other, and leaves the rest to another worker. */
  stop: () => Promise<void>;
};

type Lane = {
  appId: string;
  subscriberId: string;
  underWay: Map<string, Promise<void>>;
  width: LaneWidth;
  /** Whether more may be due than was taken. */
  look: boolean;
  /** Whether the last look was made beside attempts: one who gets one at a time was given none then, whatever is due. */
  lookedBeside: boolean;
  isFailing: boolean;
  /** Ends the wait for an attempt. */
  nudge: () => void;
};

/** Lanes that attempt deliveries in the name of a worker. */
export function openLanes(deps: Deps, workerId: string, attempt: Attempt): Lanes {
  const health = openHealthCounter(deps);
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  const spare = makeSpare();
  let bytesUnderWay = 0;
  let stopping = false;

  /** Repeats what only a failing database can make fail; gives up when the worker stops. */
  const insist = async <T>(what: string, action: () => Promise<T>): Promise<T | undefined> => {
    while (true) {
      try {
        return await action();
      } catch (error) {
        deps.log.warn({ err: error }, what);
        if (stopping) return undefined;
        await sleep(databaseRetryMs);
      }
    }
  };

  const deliver = async (lane: Lane, delivery: TakenDelivery) => {
    const startedAt = deps.clock.now();
    const began = performance.now();
    const bytes = delivery.envelope?.length ?? 0;
    bytesUnderWay += bytes;
    const outcome = await attempt(delivery);
    bytesUnderWay -= bytes;
    const ms = performance.now() - began;
    const isBehind = lane.look && lane.underWay.size >= attemptsOf(lane);
    const isDelivered = outcome.reason === null;
    lane.width.settle({ startedAt: began, ms, isDelivered, isBehind }, performance.now());
    attemptsMade.inc({ kind: delivery.kind, outcome: isDelivered ? "delivered" : "failed" });
    health.count({ appId: lane.appId, subscriberId: lane.subscriberId, startedAt, ms, isDelivered });
    await insist("an attempt could not be kept", () => settleAttempt(deps, workerId, delivery, startedAt, ms, outcome));
    if (isDelivered) lane.isFailing = false;
    lane.underWay.delete(delivery.id);
    lane.nudge();
  };

  /** How many attempts a lane may have under way. A failing subscriber gets one. */
  const attemptsOf = ({ isFailing, width }: Lane) => {
    if (isFailing) return 1;
    return bytesUnderWay > spareBytesMax ? Math.min(attemptsBase, width.attempts()) : width.attempts();
  };

  const run = async (key: string, lane: Lane) => {
    while (true) {
      const free = attemptsOf(lane) - lane.underWay.size;
      if (lane.look && free > 0 && !stopping) {
        lane.look = false;
        lane.lookedBeside = lane.underWay.size > 0;
        const { appId, subscriberId: id, underWay } = lane;
        const taken =
          (await insist("deliveries could not be taken", () =>
            takeDeliveries(deps, workerId, { appId, id }, [...underWay.keys()], free),
          )) ?? [];
        lane.isFailing = taken[0]?.isProbe ?? lane.isFailing;
        if (taken.length >= (lane.isFailing ? 1 : free)) lane.look = true;
        for (const delivery of taken) underWay.set(delivery.id, deliver(lane, delivery));
        continue;
      }
      if (lane.underWay.size === 0) {
        if (lane.lookedBeside && !stopping) {
          lane.look = true; // this time beside none
          continue;
        }
        lanes.delete(key); // in the same breath: who wakes it from here on begins another
        lane.width.end();
        return;
      }
      await new Promise<void>((resolve) => {
        lane.nudge = resolve;
      });
    }
  };

  const begin = async (key: string, appId: string, subscriberId: string) => {
    const width = openLaneWidth(spare);
    const lane: Lane = {
      appId,
      subscriberId,
      underWay: new Map(),
      width,
      look: true,
      lookedBeside: false,
      isFailing: false,
      nudge: () => {},
    };
    lanes.set(key, lane);
    await run(key, lane);
    if (!stopping) return;
    await deps.pool.query(wakeSubscribersSql("select $1::uuid, json_build_array($2::uuid), now()"), [
      appId,
      subscriberId,
    ]);
  };

  return {
    wake: async ({ appId, subscriberIds }) => {
      const begun: Promise<void>[] = [];
      for (const subscriberId of subscriberIds) {
        const key = `${appId}/${subscriberId}`;
        const lane = lanes.get(key);
        if (lane) {
          lane.look = true;
          lane.nudge();
          continue;
        }
        const ended = begin(key, appId, subscriberId).finally(() => running.delete(ended));
        running.add(ended);
        begun.push(ended);
      }
      await Promise.all(begun);
    },
    stop: async () => {
      stopping = true;
      for (const lane of lanes.values()) lane.nudge();
      await Promise.all(running);
      await health.stop();
    },
  };
}
