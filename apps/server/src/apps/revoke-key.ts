import type { Deps } from "../platform/deps.ts";
import { OperatorError } from "../platform/errors.ts";

/**
 * Revokes an SDK key: the next request that carries it is refused with `invalid_sdk_key`, wherever it arrives. The other
 * keys of its app go on. Revoking it again changes nothing. Returns since when it is revoked.
 */
export async function revokeKey({ db, clock }: Pick<Deps, "db" | "clock">, id: string): Promise<Date> {
  const revoked = await db
    .updateTable("sdk_keys")
    .set(({ fn, ref, val }) => ({ revoked_at: fn<Date>("least", [ref("revoked_at"), val(clock.now())]) }))
    .where("id", "=", id)
    .returning("revoked_at")
    .executeTakeFirst();
  if (!revoked?.revoked_at) throw new OperatorError(`There is no SDK key ${id}.`);
  return revoked.revoked_at;
}
