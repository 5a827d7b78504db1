import { publish } from "../platform/database/publish.ts";
import type { Basics } from "../platform/deps.ts";
import { OperatorError } from "../platform/errors.ts";

/**
 * Revokes a token, of whatever organisation, as who runs the server may. Revoking it again changes nothing. Returns since
 * when it is revoked. Throws an `OperatorError` where there is none.
 */
export function withdrawToken({ db, clock }: Pick<Basics, "db" | "clock">, id: string): Promise<Date> {
  return db.transaction().execute(async (tx) => {
    const revoked = await tx
      .updateTable("tokens")
      .set(({ fn, ref, val }) => ({ revoked_at: fn.coalesce(ref("revoked_at"), val(clock.now())) }))
      .where("id", "=", id)
      .returning(["organisation_id", "revoked_at"])
      .executeTakeFirst();
    if (!revoked?.revoked_at) throw new OperatorError(`There is no token ${id}.`);
    await publish(tx, revoked.organisation_id, { kind: "tokens.changed" });
    return revoked.revoked_at;
  });
}
