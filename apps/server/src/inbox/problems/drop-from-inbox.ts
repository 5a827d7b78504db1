import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Deletes the summaries of events that this transaction deletes, and the links from cards to them. The counts stay. */
export async function dropFromInbox(tx: Transaction, appId: string, eventIds: readonly string[]): Promise<void> {
  const ids = sql<string>`any(${eventIds}::uuid[])`;
  await tx.deleteFrom("unread_events").where("app_id", "=", appId).where("event_id", "=", ids).execute();
  await tx.deleteFrom("report_cards").where("app_id", "=", appId).where("event_id", "=", ids).execute();
  await tx.deleteFrom("event_summaries").where("app_id", "=", appId).where("event_id", "=", ids).execute();
}
