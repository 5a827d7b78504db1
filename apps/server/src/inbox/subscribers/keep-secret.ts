import { type SealingKeys, seal } from "../../platform/config/seal.ts";
import type { Transaction } from "../../platform/database/database.ts";

/** Stores an encrypted secret or token of a subscriber, in addition to those that it has. */
export async function keepSecret(
  tx: Transaction,
  sealing: SealingKeys,
  appId: string,
  subscriberId: string,
  plain: string,
): Promise<void> {
  const secret = seal(sealing, "signing_secrets.secret", subscriberId, plain);
  await tx.insertInto("signing_secrets").values({ app_id: appId, subscriber_id: subscriberId, secret }).execute();
}
