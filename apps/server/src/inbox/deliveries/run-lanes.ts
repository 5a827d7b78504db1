import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../../platform/deps.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import { attemptsBase, type LaneWidth, makeSpare, openLaneWidth } from "./lane-width.ts";

/** While the messages under way have more bytes than this, no lane has more than its base. */
const spareBytesMax = 16_777_216;
/** How long to wait before the database is asked again that has just failed. */
const databaseRetryMs = 1_000;

/** A receiver of deliveries, and what it belongs to: an app's subscriber, or an organisation's webhook. */
export type Receiver = { ownerId: string; id: string };

/** The functions that lanes call for the deliveries of one kind of receiver. */
export type LaneWork<Delivery extends { id: string; isProbe: boolean }> = {
  /** Claims at most `count` deliveries that are due. `underWay` names those that are attempted already. */
  take: (receiver: Receiver, underWay: string[], count: number) => Promise<Delivery[]>;
  /** Makes one attempt. Never throws: what goes wrong is its outcome. */
  attempt: (delivery: Delivery) => Promise<Outcome>;
  /** Keeps an attempt and what follows from it. */
  settle: (delivery: Delivery, startedAt: Date, ms: number, outcome: Outcome) => Promise<void>;
  /** Is told of each attempt that has ended. */
  measure: (receiver: Receiver, delivery: Delivery, startedAt: Date, ms: number, isDelivered: boolean) => void;
  bytesOf: (delivery: Delivery) => number;
  /** Leaves what is due to another worker. */
  leave: (receiver: Receiver) => Promise<unknown>;
};

/**
 * One lane for each receiver that has something due. A lane takes its receiver's deliveries from the table, a few at a
 * time, as many as its receiver is found to bear, and ends when none is due; so a slow receiver holds up nobody else.
 */
export type RunningLanes = {
  /** Resolves when every lane that this call began has ended. A lane that runs already is told to look again. */
  wake: (receivers: Receiver[]) => Promise<void>;
  /** Lets the attempts under way finish, begins no other, and leaves the rest to another worker. */
  stop: () => Promise<void>;
};

type Lane = {
  receiver: Receiver;
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

/** Lanes that do some work. */
export function runLanes<Delivery extends { id: string; isProbe: boolean }>(
  deps: Pick<Deps, "log" | "clock">,
  work: LaneWork<Delivery>,
): RunningLanes {
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

  const deliver = async (lane: Lane, delivery: Delivery) => {
    const startedAt = deps.clock.now();
    const began = performance.now();
    const bytes = work.bytesOf(delivery);
    bytesUnderWay += bytes;
    const outcome = await work.attempt(delivery);
    bytesUnderWay -= bytes;
    const ms = performance.now() - began;
    const isBehind = lane.look && lane.underWay.size >= attemptsOf(lane);
    const isDelivered = outcome.reason === null;
    lane.width.settle({ startedAt: began, ms, isDelivered, isBehind }, performance.now());
    work.measure(lane.receiver, delivery, startedAt, ms, isDelivered);
    await insist("the result of an attempt could not be stored", () => work.settle(delivery, startedAt, ms, outcome));
    if (isDelivered) lane.isFailing = false;
    lane.underWay.delete(delivery.id);
    lane.nudge();
  };

  /** The number of attempts that a lane may have under way. A failing subscriber gets one. */
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
        const { receiver, underWay } = lane;
        const take = () => work.take(receiver, [...underWay.keys()], free);
        const taken = (await insist("deliveries could not be claimed", take)) ?? [];
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

  const begin = async (key: string, receiver: Receiver) => {
    const width = openLaneWidth(spare);
    const lane: Lane = {
      receiver,
      underWay: new Map(),
      width,
      look: true,
      lookedBeside: false,
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
          lane.look = true;
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
