import { setTimeout as sleep } from "node:timers/promises";
import { eventPollsMax, latestEvents } from "@lodge/contract/events";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Listener } from "../../platform/database/listen.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { Gate } from "../../platform/limits/gate.ts";
import { takeTurns } from "../../platform/limits/take-turns.ts";
import { firstEventId, readEventCursor, writeEventCursor } from "./event-cursor.ts";
import { writeEventData } from "./event-data.ts";
import { type EventPage, type PolledEvent, readEventPage } from "./read-event-page.ts";

/** Waiting requests of a process. */
const waitingMax = 256;
/**
 * Pages that a process reads at the same time (a quarter of the connections for requests), and requests that queue for
 * one.
 */
const readingMax = 4;
const readersMax = 100;
/**
 * The interval at which a waiting request checks for events without a notification. There is none while events are not
 * read into inboxes promptly, as in a burst, or while an earlier transaction is still running.
 */
const recheckMs = 2_000;
/** While it writes a page, the process yields to other requests at least this often. */
const holdMs = 5;

type EventQuery = { after?: string; app?: string; wait?: string };

/** The event polls that this process answers. */
export type EventPolls = {
  /**
   * A page of events in JSON. With `wait`, answers once there is an event, at the timeout, or when `gone` says that the
   * client has disconnected. Throws `rate_limit_exceeded` if the token has too many requests under way.
   */
  poll: (token: Token, query: EventQuery, gone: AbortSignal) => Promise<Buffer>;
  /** Answers the waiting requests. */
  close: () => void;
};

/** Answers event polls. A bounded number of them wait, woken by the same notifications that dashboards get. */
export function pollEvents(deps: Deps): EventPolls {
  const { listening, log } = deps;
  const turns = takeTurns({ atOnce: eventPollsMax, waitingMax: 0 });
  const reading = new Gate({ runningMax: readingMax, waitingMax: readersMax });
  const waiting = new Gate({ runningMax: waitingMax, waitingMax: 0 });
  const nudges = new Map<string, Set<() => void>>();
  const closing = new AbortController();

  const listener: Listener = {
    onGap: () => {
      for (const waiters of nudges.values()) for (const nudge of waiters) nudge();
    },
    onNotification: (heard) => {
      if (!("change" in heard) || heard.change.kind !== "inbox.changed") return;
      for (const nudge of nudges.get(heard.organisationId) ?? []) nudge();
    },
  };
  let listens: Promise<void> | undefined;
  /** If listening fails, waiting requests still check periodically. */
  const listen = () => {
    listens ??= listening.add(listener).catch((error: unknown) => {
      log.warn({ err: error }, "cannot listen for events; waiting requests check periodically");
      listening.remove(listener);
      listens = undefined;
    });
    return listens;
  };

  async function waitForEvents(
    organisationId: string,
    read: () => Promise<EventPage>,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<EventPage> {
    const endsAt = performance.now() + waitMs;
    const over = AbortSignal.any([gone, closing.signal]);
    let nudged = Promise.withResolvers<void>();
    const nudge = () => nudged.resolve();
    const waiters = nudges.get(organisationId) ?? new Set();
    nudges.set(organisationId, waiters.add(nudge));
    over.addEventListener("abort", nudge);
    try {
      await listen();
      for (;;) {
        const page = await read();
        const leftMs = endsAt - performance.now();
        if (page.events.length > 0 || leftMs <= 0 || over.aborted) return page;
        const timer = new AbortController();
        await Promise.race([
          nudged.promise,
          sleep(Math.min(leftMs, recheckMs), undefined, { signal: timer.signal }).catch(() => {}),
        ]);
        timer.abort();
        nudged = Promise.withResolvers();
      }
    } finally {
      over.removeEventListener("abort", nudge);
      waiters.delete(nudge);
      if (waiters.size === 0) nudges.delete(organisationId);
    }
  }

  async function poll(token: Token, query: EventQuery, gone: AbortSignal): Promise<Buffer> {
    const { organisationId } = token;
    let after =
      query.after === undefined
        ? { transactionId: 0n, eventId: firstEventId }
        : query.after === latestEvents
          ? undefined
          : readEventCursor(deps, organisationId, query.after);
    const appId = query.app === undefined ? undefined : await findApp(deps, organisationId, query.app);
    const read = async () => {
      const page = await reading.run(() => readEventPage(deps, token, appId, after));
      after = page.place;
      return page;
    };
    const waitMs = Number(query.wait ?? 0) * 1000;
    const { events, place } =
      waitMs === 0 ? await read() : await waiting.run(() => waitForEvents(organisationId, read, waitMs, gone));
    return writePage(deps, events, writeEventCursor(deps, organisationId, place));
  }

  return {
    poll: (token, query, gone) => turns(token.id, () => poll(token, query, gone)),
    close: () => {
      closing.abort();
      listening.remove(listener);
    },
  };
}

async function findApp({ db }: Deps, organisationId: string, slug: string): Promise<string> {
  const app = await db
    .selectFrom("apps")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("slug", "=", slug)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!app) throw new Refusal("app_not_found");
  return app.id;
}

async function writePage(deps: Deps, events: readonly PolledEvent[], next: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let heldSince = performance.now();
  for (const event of events) {
    if (performance.now() - heldSince > holdMs) {
      await new Promise(setImmediate);
      heldSince = performance.now();
    }
    pieces.push(Buffer.from(pieces.length === 0 ? '{"events":[' : ","), writeEventData(deps, event, event.problem));
  }
  if (pieces.length === 0) pieces.push(Buffer.from('{"events":['));
  return Buffer.concat([...pieces, Buffer.from(`],"next":${JSON.stringify(next)}}`)]);
}
