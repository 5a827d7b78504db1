import { publish } from "../../platform/database/publish.ts";
import type { Basics } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";
import { recordAudit } from "../audit/record-audit.ts";

/**
 * Revokes a token of any organisation, for the operator. Revoking it again changes nothing. Returns when it was first
 * revoked. Throws an `OperatorError` if there is none.
 */
export function withdrawToken({ db, clock }: Pick<Basics, "db" | "clock">, id: string): Promise<Date> {
  return db.transaction().execute(async (tx) => {
    const token = await tx
      .selectFrom("tokens")
      .select(["organisation_id", "name", "revoked_at"])
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    if (!token) throw new OperatorError(`There is no token ${id}.`);
    if (token.revoked_at) return token.revoked_at;
    const now = clock.now();
    await tx
      .updateTable("tokens")
      .set({ revoked_at: now })
      .where("organisation_id", "=", token.organisation_id)
      .where("id", "=", id)
      .execute();
    const who = { organisationId: token.organisation_id, userId: null, name: "lodged token revoke" };
    await recordAudit(tx, who, now, "token.revoked", { token: token.name });
    await publish(tx, token.organisation_id, { kind: "tokens.changed" });
    return now;
  });
}
