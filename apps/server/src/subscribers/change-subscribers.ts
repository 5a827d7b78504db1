import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import { recordAuditSql } from "../audit/record-audit.ts";
import { isUniqueViolation, type Transaction } from "../platform/database/database.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { nameReceiver } from "./name-receiver.ts";

/**
 * Does something to a subscriber in one transaction, records who did it, and tells dashboards. Throws `subscriber_exists`
 * where the app has one like it.
 */
export async function changeSubscribers<T extends { subscriber: SubscriberName }>(
  { db, clock }: Deps,
  { organisationId, name }: Actor,
  kind: `subscriber.${string}`,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction().execute(async (tx) => {
      const result = await work(tx);
      const details = describeSubscriber(name, result.subscriber);
      await sql`${sql.raw(recordAuditSql("select"))} ${organisationId}::uuid, ${kind}, ${JSON.stringify(details)}::jsonb,
        ${clock.now()}::timestamptz`.execute(tx);
      await publish(tx, organisationId, { kind: "subscribers.changed" });
      return result;
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new Refusal("subscriber_exists") : error;
  }
}

/** What the audit log says of a subscriber that somebody has changed. */
export const describeSubscriber = (by: string, { id, app, kind, url, boardName }: SubscriberName) => ({
  by,
  app: app.name,
  subscriberId: id,
  subscriberKind: kind,
  receiver: nameReceiver(kind, url, boardName),
});

type SubscriberName = {
  id: string;
  app: { name: string };
  kind: Parameters<typeof nameReceiver>[0];
  url: string | null;
  boardName: string | null;
};
