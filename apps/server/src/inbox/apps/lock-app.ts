import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** Locks an app of the organisation until the transaction ends. Throws `app_not_found`. */
export async function lockApp(tx: Transaction, { organisationId }: Pick<Actor, "organisationId">, appId: string) {
  const app = await tx
    .selectFrom("apps")
    .selectAll()
    .where("organisation_id", "=", organisationId)
    .where("id", "=", appId)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!app) throw new Refusal("app_not_found");
  return app;
}
