import type { LiveEvent } from "@lodge/contract/dashboard/events";
import { sql } from "kysely";
import type { Transaction } from "./database.ts";

/** The channel of PostgreSQL's NOTIFY on which every process hears what to tell its dashboards. */
export const liveChannel = "lodge_live";

/** What a notification carries: ids alone, so that it fits and tells nothing to who may not ask. */
export type Notification = { organisationId: string; event: LiveEvent };

/** Tells the dashboards of an organisation what changed, if and when the transaction commits. */
export async function publish(tx: Transaction, organisationId: string, event: LiveEvent): Promise<void> {
  const notification: Notification = { organisationId, event };
  await sql`select pg_notify(${liveChannel}, ${JSON.stringify(notification)})`.execute(tx);
}
