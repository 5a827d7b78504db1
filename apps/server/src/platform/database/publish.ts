import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change } from "@lodge/contract/dashboard/change";
import { sql } from "kysely";
import type pg from "pg";
import type { Log } from "../observe/log.ts";
import { measureQueue } from "../observe/measure-queue.ts";
import type { Database } from "./database.ts";
import { ownNameSql } from "./schema.ts";
import { preparedStatement } from "./statements.ts";

/** SQL: the NOTIFY channel on which every process receives the changes for its dashboards. */
export const liveChannelSql = ownNameSql("lodge_live");

/**
 * A message to every process, in the same order for all. Contains ids only, so that it fits and reveals nothing.
 * `endedSessionId` is a session that signed out or switched its organisation. `missed` says that messages were lost,
 * and every dashboard must fetch what it shows. `started` is a process that starts to listen.
 */
export type News =
  | { organisationId: string; change: Change }
  | { endedSessionId: string }
  | { missed: true }
  | { started: true };

/** A message with a unique id, which is its position in the stream of all processes. */
export type Notification = News & { id: string };

/** Tells the dashboards of an organisation about a change when the transaction commits. */
export const publish = (tx: Database, organisationId: string, change: Change): Promise<void> =>
  notify(tx, { organisationId, change });

/** Closes the streams of a session in every process. */
export const publishEndOfSession = (db: Database, endedSessionId: string): Promise<void> =>
  notify(db, { endedSessionId });

const process = randomBytes(6).toString("base64url");
let notificationCount = 0;

/** The payload of a message on the channel. */
export const payloadOf = (news: News): string =>
  JSON.stringify({ ...news, id: `${process}.${(notificationCount++).toString(36)}` } satisfies Notification);

/**
 * A transaction that notifies always waits for its flush: listeners fetch immediately, and a replica is expected to
 * have everything that the primary has flushed.
 */
async function notify(db: Database, news: News) {
  await sql`select pg_notify(${sql.raw(liveChannelSql)}, ${payloadOf(news)}),
    set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`.execute(
    db,
  );
}

const batchMax = 500;
/** At 250 bytes each, two seconds of tickets at the full speed of two cores. */
const waitingMax = 10_000;
const retryMs = 1_000;
/** Too short to notice. Each NOTIFY costs a tenth of a ticket, here and in every process. */
const pauseMs = 25;
const measured = measureQueue("announce");
const notifyMany = preparedStatement({
  name: "announce",
  parameters: { payloads: "text[]" },
  row: { count: "bigint" },
  text: ({ payloads }) => `select count(pg_notify(${liveChannelSql}, payload)) from unnest(${payloads}) payload`,
});

/** Tells dashboards about committed changes. */
export type Announcer = {
  announce: (organisationId: string, change: Change) => void;
  /** Tells all dashboards to fetch what they show, because a committed change may never be announced. */
  miss: () => void;
  /** Resolves when all announcements were sent or dropped. Nothing can be announced after this call. */
  idle: () => Promise<void>;
};

/**
 * Announces changes that are too frequent for `publish`: commits with NOTIFY wait for each other's flush, which makes
 * filing tickets ten times slower (docs/decisions/live-events.md). Batches announcements of 25 ms, and those during a
 * NOTIFY. If the process is killed in between, dashboards are stale until they fetch again.
 *
 * Announcements above 10,000, and those that a failing database refuses, are dropped. When it answers again, all
 * dashboards are told to fetch what they show.
 */
export function createAnnouncer(pool: pg.Pool, log: Log): Announcer {
  let waiting: string[] = [];
  let missed = false;
  let telling: Promise<void> | undefined;
  const stopping = new AbortController();

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});

  function take(): string[] {
    if (!missed) {
      const batch = waiting.splice(0, batchMax);
      measured.depth -= batch.length;
      return batch;
    }
    missed = false; // later announcements may arrive after dashboards were told to fetch
    return [payloadOf({ missed: true })];
  }

  async function tell() {
    while (missed || waiting.length > 0) {
      const payloads = take();
      try {
        await notifyMany(pool, { payloads });
        if (!stopping.signal.aborted) await pause(pauseMs);
      } catch (error) {
        log.warn({ err: error, announcements: payloads.length }, "could not announce changes to dashboards");
        missed = true;
        if (stopping.signal.aborted) break;
        await pause(retryMs);
      }
    }
    telling = undefined;
  }

  return {
    miss: () => {
      missed = true;
      telling ??= tell();
    },
    announce: (organisationId, change) => {
      if (waiting.length >= waitingMax) {
        measured.refused(waiting.length);
        measured.depth -= waiting.length;
        waiting = [];
        missed = true;
      }
      if (missed) {
        measured.refused(1);
      } else {
        waiting.push(payloadOf({ organisationId, change }));
        measured.depth++;
      }
      telling ??= tell();
    },
    idle: async () => {
      stopping.abort();
      await telling;
    },
  };
}
