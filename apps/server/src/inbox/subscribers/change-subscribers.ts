import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAuditSql } from "../../people/audit/record-audit.ts";
import { isUniqueViolation, type Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Basics, Deps } from "../../platform/deps.ts";
import { OperatorError, Refusal } from "../../platform/errors.ts";
import { nameReceiver } from "../../platform/outbound/name-receiver.ts";
import { readSubscriber } from "./list-subscribers.ts";

/**
 * Changes a subscriber in one transaction, records who did it, and notifies dashboards. Throws `subscriber_exists` if
 * the app already has the same one.
 */
export async function changeSubscribers<T extends { subscriber: SubscriberName }>(
  { db, clock }: Deps,
  actor: Actor,
  kind: `subscriber.${string}`,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction().execute(async (tx) => {
      const result = await work(tx);
      await recordChange(tx, clock.now(), actor, kind, result.subscriber);
      return result;
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new Refusal("subscriber_exists") : error;
  }
}

/**
 * As `changeSubscribers`, for the operator, to any subscriber; the audit log names the command. Throws an
 * `OperatorError` if the subscriber does not exist.
 */
export function changeAnySubscriber<T>(
  { db, clock }: Pick<Basics, "db" | "clock">,
  command: string,
  kind: `subscriber.${string}`,
  subscriberId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const found = await tx
      .selectFrom("subscribers")
      .select("organisation_id")
      .where("id", "=", subscriberId)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (!found) throw new OperatorError(`There is no subscriber ${subscriberId}.`);
    const { organisation_id: organisationId } = found;
    const subscriber = await readSubscriber({ clock }, tx, organisationId, subscriberId);
    const result = await work(tx);
    await recordChange(tx, clock.now(), { organisationId, name: command }, kind, subscriber);
    return result;
  });
}

async function recordChange(
  tx: Transaction,
  at: Date,
  { organisationId, name }: { organisationId: string; name: string },
  kind: `subscriber.${string}`,
  subscriber: SubscriberName,
): Promise<void> {
  const details = describeSubscriber(name, subscriber);
  await sql`${sql.raw(recordAuditSql("select"))} ${organisationId}::uuid, ${kind}, ${JSON.stringify(details)}::jsonb,
    ${at}::timestamptz`.execute(tx);
  await publish(tx, organisationId, { kind: "subscribers.changed" });
}

/** The description of a subscriber in the audit log. */
const describeSubscriber = (by: string, { id, app, kind, url, boardName }: SubscriberName) => ({
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
