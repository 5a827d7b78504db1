import type { SealingKeys } from "../../platform/config/seal.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Addressed, sealAddress } from "../../platform/outbound/receiver-address.ts";

/** Encrypts the addresses with secrets in them that an earlier release has stored in clear. Returns how many. */
export async function sealSubscriberAddresses(db: Database, keys: SealingKeys): Promise<number> {
  const stored = await db
    .selectFrom("subscribers")
    .select(["app_id", "id", "kind", "url"])
    .where("sealed_url", "is", null)
    .where("kind", "in", ["webhook", "slack", "discord", "teams"])
    .where("url", "~", "[?#]|://[^/]+/.")
    .execute();
  let count = 0;
  for (const { app_id, id, kind, url } of stored) {
    const sealed = sealAddress(() => keys, "subscribers.sealed_url", id, kind as Addressed, url ?? "");
    if (sealed.sealed_url === null) continue;
    const { numUpdatedRows } = await db
      .updateTable("subscribers")
      .set(sealed)
      .where("app_id", "=", app_id)
      .where("id", "=", id)
      .where("url", "=", url)
      .where("sealed_url", "is", null)
      .executeTakeFirst();
    count += Number(numUpdatedRows);
  }
  return count;
}
