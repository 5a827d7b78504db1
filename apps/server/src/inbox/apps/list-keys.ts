import type { Database } from "../../platform/database/database.ts";
import { OperatorError } from "../../platform/errors.ts";

/** An SDK key with the slug of its app. */
type ListedKey = { id: string; app: string; name: string; key: string; createdAt: Date; revokedAt: Date | null };

/** The SDK keys of an organisation, including revoked ones: by app, oldest first. `organisation` is a slug. */
export async function listKeys(db: Database, organisation: string): Promise<ListedKey[]> {
  const found = await db.selectFrom("organisations").select("id").where("slug", "=", organisation).executeTakeFirst();
  if (!found) throw new OperatorError(`There is no organisation "${organisation}".`);
  return db
    .selectFrom("sdk_keys")
    .innerJoin("apps", "apps.id", "sdk_keys.app_id")
    .select([
      "sdk_keys.id",
      "apps.slug as app",
      "sdk_keys.name",
      "sdk_keys.key",
      "sdk_keys.created_at as createdAt",
      "sdk_keys.revoked_at as revokedAt",
    ])
    .where("apps.organisation_id", "=", found.id)
    .orderBy("apps.slug")
    .orderBy("sdk_keys.id")
    .execute();
}
