import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../../platform/deps.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import { attemptsBase, type LaneWidth, makeSpare, openLaneWidth } from "./lane-width.ts";

/** While the messages under way exceed this size, no lane is wider than its base. */
const spareBytesMax = 16_777_216;
/** The wait before a failed database query is retried. */
const databaseRetryMs = 1_000;

/** A receiver of deliveries and its owner: a subscriber of an app, or a webhook of an organisation. */
export type Receiver = { ownerId: string; id: string };

/** The functions that lanes call for the deliveries of one kind of receiver. */
export type LaneWork<Delivery extends { id: string; isProbe: boolean }> = {
  /** Claims at most `count` due deliveries. `underWay` lists those that are being attempted already. */
  take: (receiver: Receiver, underWay: string[], count: number) => Promise<Delivery[]>;
  /** Makes one attempt. Never throws: an error is its outcome. */
  attempt: (delivery: Delivery) => Promise<Outcome>;
  /** Stores an attempt and its consequences. */
  settle: (delivery: Delivery, startedAt: Date, ms: number, outcome: Outcome) => Promise<void>;
  /** Called after each attempt. */
  measure: (receiver: Receiver, delivery: Delivery, startedAt: Date, ms: number, isDelivered: boolean) => void;
  bytesOf: (delivery: Delivery) => number;
  /** Leaves the due deliveries to another worker. */
  leave: (receiver: Receiver) => Promise<unknown>;
};

/**
 * One lane for each receiver with due deliveries. A lane claims deliveries a few at a time, as many as its receiver can
 * handle, and ends when none is due. So a slow receiver does not delay others.
 */
export type RunningLanes = {
  /**
   * Resolves when every lane that this call started has ended. Lanes that are already running check for more
   * deliveries.
   */
  wake: (receivers: Receiver[]) => Promise<void>;
  /** Finishes the attempts under way, starts no others, and leaves the rest to another worker. */
  stop: () => Promise<void>;
};

type Lane = {
  receiver: Receiver;
  underWay: Map<string, Promise<void>>;
  width: LaneWidth;
  /** Whether more deliveries may be due. */
  mayHaveMore: boolean;
  /**
   * Whether attempts were under way at the last claim: a receiver that gets one delivery at a time got none then, even
   * if some are due.
   */
  claimedWhileBusy: boolean;
  isFailing: boolean;
  /** Wakes the lane before its attempts end. */
  nudge: () => void;
};

/** Creates the lanes for one kind of work. */
export function runLanes<Delivery extends { id: string; isProbe: boolean }>(
  deps: Pick<Deps, "log" | "clock">,
  work: LaneWork<Delivery>,
): RunningLanes {
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  const spare = makeSpare();
  let bytesUnderWay = 0;
  let stopping = false;

  /** Retries an action that fails only when the database does. Gives up when the worker stops. */
  const retryUntilStopped = async <T>(what: string, action: () => Promise<T>): Promise<T | undefined> => {
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

  const deliver = async (lane: Lane, delivery: Delivery) => {
    const startedAt = deps.clock.now();
    const began = performance.now();
    const bytes = work.bytesOf(delivery);
    bytesUnderWay += bytes;
    const outcome = await work.attempt(delivery);
    bytesUnderWay -= bytes;
    const ms = performance.now() - began;
    const isBehind = lane.mayHaveMore && lane.underWay.size >= attemptsOf(lane);
    const isDelivered = outcome.reason === null;
    lane.width.settle({ startedAt: began, ms, isDelivered, isBehind }, performance.now());
    work.measure(lane.receiver, delivery, startedAt, ms, isDelivered);
    await retryUntilStopped("the result of an attempt could not be stored", () =>
      work.settle(delivery, startedAt, ms, outcome),
    );
    if (isDelivered) lane.isFailing = false;
    lane.underWay.delete(delivery.id);
    lane.nudge();
  };

  /** The concurrent attempts that a lane may make. A failing receiver gets one. */
  const attemptsOf = ({ isFailing, width }: Lane) => {
    if (isFailing) return 1;
    return bytesUnderWay > spareBytesMax ? Math.min(attemptsBase, width.attempts()) : width.attempts();
  };

  const run = async (key: string, lane: Lane) => {
    while (true) {
      const free = attemptsOf(lane) - lane.underWay.size;
      if (lane.mayHaveMore && free > 0 && !stopping) {
        lane.mayHaveMore = false;
        lane.claimedWhileBusy = lane.underWay.size > 0;
        const { receiver, underWay } = lane;
        const take = () => work.take(receiver, [...underWay.keys()], free);
        const taken = (await retryUntilStopped("deliveries could not be claimed", take)) ?? [];
        lane.isFailing = taken[0]?.isProbe ?? lane.isFailing;
        if (taken.length >= (lane.isFailing ? 1 : free)) lane.mayHaveMore = true;
        for (const delivery of taken) underWay.set(delivery.id, deliver(lane, delivery));
        continue;
      }
      if (lane.underWay.size === 0) {
        if (lane.claimedWhileBusy && !stopping) {
          lane.mayHaveMore = true; // this time without attempts under way
          continue;
        }
        lanes.delete(key); // synchronously, so that a later wake starts a new lane
        lane.width.end();
        return;
      }
      await new Promise<void>((resolve) => {
        lane.nudge = resolve;
      });
    }
  };

  const begin = async (key: string, receiver: Receiver) => {
    const width = openLaneWidth(spare);
    const lane: Lane = {
      receiver,
      underWay: new Map(),
      width,
      mayHaveMore: true,
      claimedWhileBusy: false,
      isFailing: false,
      nudge: () => {},
    };
    lanes.set(key, lane);
    await run(key, lane);
    if (stopping) await work.leave(receiver);
  };

  return {
    wake: async (receivers) => {
      const begun: Promise<void>[] = [];
      for (const receiver of receivers) {
        const key = `${receiver.ownerId}/${receiver.id}`;
        const lane = lanes.get(key);
        if (lane) {
          lane.mayHaveMore = true;
          lane.nudge();
          continue;
        }
        const ended = begin(key, receiver).finally(() => running.delete(ended));
        running.add(ended);
        begun.push(ended);
      }
      await Promise.all(begun);
    },
    stop: async () => {
      stopping = true;
      for (const lane of lanes.values()) lane.nudge();
      await Promise.all(running);
    },
  };
}
