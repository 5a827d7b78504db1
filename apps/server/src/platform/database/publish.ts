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

/** SQL: the channel of PostgreSQL's NOTIFY on which every process hears what to tell its dashboards. */
export const liveChannelSql = ownNameSql("lodge_live");

/**
 * The message to every process, in the same order for all: ids alone, so that it fits and reveals nothing.
 * `endedSessionId` is a session that was signed out, or went to work on another organisation. `missed` says that there
 * was more than could be told: every dashboard is to fetch what it shows. `started` is a process that begins to listen.
 */
export type News =
  | { organisationId: string; change: Change }
  | { endedSessionId: string }
  | { missed: true }
  | { started: true };

/** News with an id that no other has: a position in what all processes hear. */
export type Notification = News & { id: string };

/** Tells the dashboards of an organisation what changed, if and when the transaction commits. */
export const publish = (tx: Database, organisationId: string, change: Change): Promise<void> =>
  notify(tx, { organisationId, change });

/** Ends the streams of a session in every process. */
export const publishEndOfSession = (db: Database, endedSessionId: string): Promise<void> =>
  notify(db, { endedSessionId });

const process = randomBytes(6).toString("base64url");
let told = 0;

/** News as it is sent to the channel. */
export const payloadOf = (news: News): string =>
  JSON.stringify({ ...news, id: `${process}.${(told++).toString(36)}` } satisfies Notification);

/**
 * A transaction that tells waits for its flush, whatever its session does: a replica is asked for what the primary has
 * flushed, and listeners fetch at once.
 */
async function notify(db: Database, news: News) {
  await sql`select pg_notify(${sql.raw(liveChannelSql)}, ${payloadOf(news)}),
    set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`.execute(
    db,
  );
}

const batchMax = 500;
/** At 250 bytes each; two seconds of what two cores file at the most. */
const waitingMax = 10_000;
const retryMs = 1_000;
/** Nobody sees so short a delay, and each NOTIFY costs as much as a tenth of a ticket, here and in every process. */
const pauseMs = 25;
const measured = measureQueue("announce");
const notifyMany = preparedStatement({
  name: "announce",
  parameters: { payloads: "text[]" },
  row: { count: "bigint" },
  text: ({ payloads }) => `select count(pg_notify(${liveChannelSql}, payload)) from unnest(${payloads}) payload`,
});

/** Tells dashboards what was committed already. */
export type Announcer = {
  announce: (organisationId: string, change: Change) => void;
  /** Has all dashboards told to fetch what they show: something may have been committed that nobody will announce. */
  miss: () => void;
  /** Resolves when everything has been told, or could not be; nothing is announced after it was called. */
  idle: () => Promise<void>;
};

/**
 * For what happens too often to be published with its transaction: commits that notify wait for each other's flush to
 * disk, which makes filing tickets ten times slower (docs/decisions/live-events.md). Announcements made meanwhile go
 * together, and so do those of the 25 ms after one. A process that is killed in between leaves a dashboard stale until it
 * fetches again.
 *
 * Announcements that a failing database does not take, or more than 10,000 that wait for it, are dropped; as soon as it
 * answers all dashboards are told to fetch what they show.
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
    missed = false; // what is announced from here on may come after the others were told to fetch
    return [payloadOf({ missed: true })];
  }

  async function tell() {
    while (missed || waiting.length > 0) {
      const payloads = take();
      try {
        await notifyMany(pool, { payloads });
        if (!stopping.signal.aborted) await pause(pauseMs);
      } catch (error) {
        log.warn({ err: error, announcements: payloads.length }, "could not tell dashboards what changed");
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
