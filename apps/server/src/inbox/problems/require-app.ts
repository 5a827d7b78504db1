import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** An app of the organisation. Throws `app_not_found`. */
export async function requireApp(
  { db }: Deps,
  { organisationId }: Actor,
  appId: string,
): Promise<{ id: string; name: string }> {
  const app = await db
    .selectFrom("apps")
    .select(["id", "name"])
    .where("organisation_id", "=", organisationId)
    .where("id", "=", appId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!app) throw new Refusal("app_not_found");
  return app;
}
