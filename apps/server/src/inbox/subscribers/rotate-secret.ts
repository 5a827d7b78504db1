import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { SealingKeys } from "../../platform/config/seal.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Basics, Deps } from "../../platform/deps.ts";
import { OperatorError, Refusal } from "../../platform/errors.ts";
import { makeSigningSecret, overlapHours } from "../../platform/outbound/sign-webhook.ts";
import { changeAnySubscriber, changeSubscribers } from "./change-subscribers.ts";
import { keepSecret } from "./keep-secret.ts";
import { readSubscriber } from "./list-subscribers.ts";

/**
 * Gives a webhook of the organisation a new signing secret. The previous one also signs for 24 h; older ones stop
 * working immediately. Throws `subscriber_not_found`.
 */
export async function rotateSubscriberSecret(
  deps: Deps,
  actor: Actor,
  subscriberId: string,
): Promise<{ secret: string }> {
  const { secret } = await changeSubscribers(deps, actor, "subscriber.secret_rotated", async (tx) => {
    const subscriber = await readSubscriber(deps, tx, actor.organisationId, subscriberId);
    const made = await replaceSecret(tx, deps.sealing, subscriber.id);
    if (made === undefined) throw new Refusal("subscriber_not_found");
    return { subscriber, secret: made };
  });
  return { secret };
}

/** As `rotateSubscriberSecret`, for the operator. Throws an `OperatorError` if the webhook does not exist. */
export const rotateAnySecret = (
  basics: Pick<Basics, "db" | "clock">,
  sealing: SealingKeys,
  subscriberId: string,
): Promise<string> =>
  changeAnySubscriber(
    basics,
    "lodged subscribers rotate-secret",
    "subscriber.secret_rotated",
    subscriberId,
    async (tx) => {
      const secret = await replaceSecret(tx, sealing, subscriberId);
      if (secret === undefined) throw new OperatorError(`There is no webhook ${subscriberId}.`);
      return secret;
    },
  );

async function replaceSecret(tx: Transaction, sealing: SealingKeys, subscriberId: string): Promise<string | undefined> {
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
  await keepSecret(tx, sealing, subscriber.app_id, subscriberId, secret);
  return secret;
}
