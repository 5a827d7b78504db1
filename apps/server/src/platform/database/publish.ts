import type { LiveEvent } from "@lodge/contract/dashboard/events";
import { sql } from "kysely";
import type pg from "pg";
import type { Log } from "../observe/log.ts";
import type { Database } from "./database.ts";
import { preparedStatement } from "./statements.ts";

/** The channel of PostgreSQL's NOTIFY on which every process hears what to tell its dashboards. */
export const liveChannel = "lodge_live";

/**
 * What a notification carries: ids alone, so that it fits and tells nothing to who may not ask. `endedSessionId` is a
 * session that was signed out, or went to work on another organisation.
 */
export type Notification = { organisationId: string; event: LiveEvent } | { endedSessionId: string };

/** Tells the dashboards of an organisation what changed, if and when the transaction commits. */
export const publish = (tx: Database, organisationId: string, event: LiveEvent): Promise<void> =>
  notify(tx, { organisationId, event });

/** Ends the streams of a session in every process. */
export const publishEndOfSession = (db: Database, endedSessionId: string): Promise<void> =>
  notify(db, { endedSessionId });

async function notify(db: Database, notification: Notification) {
  await sql`select pg_notify(${liveChannel}, ${JSON.stringify(notification)})`.execute(db);
}

const batchMax = 500;
const notifyMany = preparedStatement({
  name: "announce",
  parameters: { channel: "text", payloads: "text[]" },
  row: { count: "bigint" },
  text: ({ channel, payloads }) => `select count(pg_notify(${channel}, payload)) from unnest(${payloads}) payload`,
});

/** Tells dashboards what was committed already. */
export type Announcer = {
  announce: (organisationId: string, event: LiveEvent) => void;
  /** Resolves when everything announced so far has been told, or could not be. */
  idle: () => Promise<void>;
};

/**
 * For what happens too often to be published with its transaction: commits that notify wait for each other's flush to
 * disk, which makes filing tickets ten times slower (docs/decisions/live-events.md). Announcements made meanwhile go
 * together. A process that is killed in the milliseconds between leaves a dashboard stale until it fetches again.
 */
export function createAnnouncer(pool: pg.Pool, log: Log): Announcer {
  const waiting: string[] = [];
  let telling: Promise<void> | undefined;

  async function tell() {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax);
      await notifyMany(pool, { channel: liveChannel, payloads: batch }).catch((error: unknown) =>
        log.warn({ err: error, announcements: batch.length }, "could not tell dashboards what changed"),
      );
    }
    telling = undefined;
  }

  return {
    announce: (organisationId, event) => {
      const notification: Notification = { organisationId, event };
      waiting.push(JSON.stringify(notification));
      telling ??= tell();
    },
    idle: async () => telling,
  };
}
