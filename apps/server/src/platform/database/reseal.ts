import type pg from "pg";
import { type SealedColumn, type SealingKeys, seal, unseal } from "../config/seal.ts";

/** A column of stored secrets, and the columns of the row's id, for which they are encrypted. */
export type Sealed = { table: string; column: string; id: readonly string[] };

const rowsAtOnce = 500;

/** The name for which the column's secrets are encrypted. */
export const nameOf = ({ table, column }: Sealed): SealedColumn => `${table}.${column}`;

/** The number of stored secrets by the name of their key. */
export async function countSealed(pool: pg.Pool, columns: readonly Sealed[]): Promise<Map<string, number>> {
  const each = columns.map(
    ({ table, column }) => `select split_part(${column}, '.', 3) as id from ${table} where ${column} like 'sealed.1.%'`,
  );
  const { rows } = await pool.query<{ id: string; count: number }>(
    `select id, count(*)::integer as count from (${each.join(" union all ")}) sealed group by id`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/**
 * Re-encrypts secrets of the other keys with the first key, in steps that can be interrupted and repeated. Does not
 * change secrets that none of the keys decrypts. Returns the number of changed secrets.
 */
export async function resealColumn(pool: pg.Pool, keys: SealingKeys, sealed: Sealed): Promise<number> {
  return rewrite(pool, sealed, `${sealed.column} not like 'sealed.1.${keys[0].id}.%'`, (row, stored) => {
    try {
      return seal(keys, nameOf(sealed), row, unseal(keys, nameOf(sealed), row, stored));
    } catch {
      return undefined;
    }
  });
}

/** Discards secrets that none of the keys decrypts, so that they must be entered again. Returns their number. */
export async function forgetColumn(pool: pg.Pool, keys: SealingKeys, sealed: Sealed): Promise<number> {
  return rewrite(pool, sealed, `${sealed.column} like 'sealed.%'`, (row, stored) => {
    if (stored.startsWith(`sealed.1.${keys[0].id}.`)) return undefined;
    try {
      unseal(keys, nameOf(sealed), row, stored);
      return undefined;
    } catch {
      return seal(keys, nameOf(sealed), row, "");
    }
  });
}

/** Changes a value only if it is still the one that was read: a person may enter a new one meanwhile. */
async function rewrite(
  pool: pg.Pool,
  { table, column, id }: Sealed,
  which: string,
  rewritten: (row: string, stored: string) => string | undefined,
): Promise<number> {
  const row = id.map((name) => `${name}::text`).join(" || ' ' || ");
  let count = 0;
  for (let last = ""; ; ) {
    const { rows } = await pool.query<{ row: string; stored: string; at: string }>(
      `select ${row} as row, ${column} as stored, ${row} || ' ' || ${column} as at from ${table}
      where ${column} is not null and ${which} and ${row} || ' ' || ${column} > $1 order by at limit ${rowsAtOnce}`,
      [last],
    );
    const changes = rows.flatMap(({ row: of, stored }) => {
      const value = rewritten(of, stored);
      return value === undefined ? [] : [{ of, stored, value }];
    });
    const { rowCount } = await pool.query(
      `update ${table} set ${column} = change.value from json_to_recordset($1) as change (of text, stored text, value text)
      where ${row} = change.of and ${column} = change.stored`,
      [JSON.stringify(changes)],
    );
    count += rowCount ?? 0;
    if (rows.length < rowsAtOnce) return count;
    last = rows.at(-1)?.at ?? "";
  }
}
