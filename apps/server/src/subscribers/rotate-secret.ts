import { sql } from "kysely";
import type { Database } from "../platform/database/database.ts";
import { OperatorError } from "../platform/errors.ts";
import { makeSigningSecret } from "./sign-webhook.ts";

/** How long the secret before still signs beside the new one, for its receiver to change over. */
const overlapHours = 24;

/** Gives a webhook a new signing secret. The one before it signs as well for 24 h; any older one ends at once. */
export function rotateSecret(db: Database, subscriberId: string): Promise<string> {
  return db.transaction().execute(async (tx) => {
    const subscriber = await tx
      .selectFrom("subscribers")
      .select("app_id")
      .where("id", "=", subscriberId)
      .where("kind", "=", "webhook")
      .forUpdate()
      .executeTakeFirst();
    if (!subscriber) throw new OperatorError(`There is no webhook ${subscriberId}.`);
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
  });
}
