import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";

/**
 * Revokes an SDK key: every later request with it is refused with `invalid_sdk_key`. The app's other keys still work.
 * Revoking it again changes nothing. Returns when it was revoked.
 */
export function revokeKey({ db, clock }: Pick<Deps, "db" | "clock">, id: string): Promise<Date> {
  return db.transaction().execute(async (tx) => {
    const key = await tx
      .selectFrom("sdk_keys")
      .innerJoin("apps", "apps.id", "sdk_keys.app_id")
      .select(["sdk_keys.name", "revoked_at", "apps.name as app", "organisation_id"])
      .where("sdk_keys.id", "=", id)
      .forUpdate("sdk_keys")
      .executeTakeFirst();
    if (!key) throw new OperatorError(`There is no SDK key ${id}.`);
    const now = clock.now();
    if (key.revoked_at && key.revoked_at <= now) return key.revoked_at;
    await tx.updateTable("sdk_keys").set({ revoked_at: now }).where("id", "=", id).execute();
    const who = { organisationId: key.organisation_id, userId: null, name: "lodged keys revoke" };
    await recordAudit(tx, who, now, "key.revoked", { app: key.app, key: key.name });
    await publish(tx, key.organisation_id, { kind: "apps.changed" });
    return now;
  });
}
