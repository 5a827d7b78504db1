import type pg from "pg";
import type { SealingKeys } from "../../platform/config/seal.ts";
import { countSealed, forgetColumn, resealColumn } from "../../platform/database/reseal.ts";
import { OperatorError } from "../../platform/errors.ts";
import { sealedColumns } from "./sealed-columns.ts";

/** The number of stored secrets, counted by key, that none of these keys decrypts. */
export const sumUnreadable = (counts: ReadonlyMap<string, number>, keys: SealingKeys): number =>
  [...counts].reduce((sum, [id, count]) => (keys.some((key) => key.id === id) ? sum : sum + count), 0);

/** The message if some secrets cannot be decrypted. */
export const wrongSecret = (count: number): string =>
  `LODGE_SECRET is not the secret that ${count} stored ${count === 1 ? "secret is" : "secrets are"} encrypted with: set ` +
  "LODGE_SECRET, or LODGE_SECRET_PREVIOUS, to that one. If it is lost, delete them with lodged secrets forget, and enter them again.";

/**
 * Encrypts with LODGE_SECRET every stored secret that LODGE_SECRET_PREVIOUS encrypted. Returns their number. Throws an
 * `OperatorError`, and changes nothing, if the secret is wrong.
 */
export async function sealStored(pool: pg.Pool, keys: SealingKeys): Promise<number> {
  const unreadable = sumUnreadable(await countSealed(pool, sealedColumns), keys);
  if (unreadable > 0) throw new OperatorError(wrongSecret(unreadable));
  let sealed = 0;
  for (const column of sealedColumns) sealed += await resealColumn(pool, keys, column);
  return sealed;
}

/** `lodged secrets forget`: deletes what can no longer be decrypted. Returns the counts by column. */
export async function forgetUnreadable(pool: pg.Pool, keys: SealingKeys): Promise<Record<string, number>> {
  const forgotten: Record<string, number> = {};
  for (const sealed of sealedColumns) {
    const count = await forgetColumn(pool, keys, sealed);
    if (count > 0) forgotten[`${sealed.table}.${sealed.column}`] = count;
  }
  return forgotten;
}
