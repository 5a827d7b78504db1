import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { Basics, Deps } from "../platform/deps.ts";
import { OperatorError, Refusal } from "../platform/errors.ts";
import { changeAnySubscriber, changeSubscribers } from "./change-subscribers.ts";
import { readSubscriber } from "./list-subscribers.ts";
import { makeSigningSecret } from "./sign-webhook.ts";

/** How long the secret before still signs beside the new one, for its receiver to change over. */
export const overlapHours = 24;

/**
 * Gives a webhook of the organisation a new signing secret. The one before it signs as well for 24 h; any older one ends
 * at once. Throws `subscriber_not_found`.
 */
export async function rotateSubscriberSecret(
  deps: Deps,
  actor: Actor,
  subscriberId: string,
): Promise<{ secret: string }> {
  const { secret } = await changeSubscribers(deps, actor, "subscriber.secret_rotated", async (tx) => {
    const subscriber = await readSubscriber(deps, tx, actor.organisationId, subscriberId);
    const made = await replaceSecret(tx, subscriber.id);
    if (made === undefined) throw new Refusal("subscriber_not_found");
    return { subscriber, secret: made };
  });
  return { secret };
}

/** The same for who runs the server. Throws an `OperatorError` where there is no such webhook. */
export const rotateAnySecret = (basics: Pick<Basics, "db" | "clock">, subscriberId: string): Promise<string> =>
  changeAnySubscriber(
    basics,
    "lodged subscribers rotate-secret",
    "subscriber.secret_rotated",
    subscriberId,
    async (tx) => {
      const secret = await replaceSecret(tx, subscriberId);
      if (secret === undefined) throw new OperatorError(`There is no webhook ${subscriberId}.`);
      return secret;
    },
  );

async function replaceSecret(tx: Transaction, subscriberId: string): Promise<string | undefined> {
  const subscriber = await tx
    .selectFrom("subscribers")
    .select("app_id")
    .where("id", "=", subscriberId)
    .where("kind", "=", "webhook")
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (!subscriber) return undefined;
  const ofSubscriber = { app_id: subscriber.app_id, subscriber_id: subscriberId };
  await tx
    .deleteFrom("signing_secrets")
    .where("app_id", "=", ofSubscriber.app_id)
    .where("subscriber_id", "=", subscriberId)
    .where("expires_at", "is not", null)
    .execute();
  await tx
    .updateTable("signing_secrets")
    .set({ expires_at: sql`now() + interval '1 hour' * ${overlapHours}` })
    .where("app_id", "=", ofSubscriber.app_id)
    .where("subscriber_id", "=", subscriberId)
    .execute();
  const secret = makeSigningSecret();
  await tx
    .insertInto("signing_secrets")
    .values({ ...ofSubscriber, secret })
    .execute();
  return secret;
}
