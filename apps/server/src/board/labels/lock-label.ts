import { defaultLabelColor, type LabelColor } from "@lodge/contract/label-colors";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Locks labels of the organisation until the transaction ends. Throws `label_not_found` if one is missing or being
 * replaced.
 */
export async function lockLabels(
  tx: Transaction,
  organisationId: string,
  names: string[],
): Promise<Map<string, LabelColor>> {
  const { rows } = await sql<{ name: string; color: LabelColor | null }>`
    select name, color from labels where organisation_id = ${organisationId} and name = any(${names}::text[])
    order by name for update`.execute(tx);
  const leaving = await tx
    .selectFrom("label_changes") // read only now: whoever held the lock may have changed it
    .select("name")
    .where("organisation_id", "=", organisationId)
    .where("name", "in", names)
    .executeTakeFirst();
  if (rows.length < new Set(names).size || leaving) throw new Refusal("label_not_found");
  return new Map(rows.map(({ name, color }) => [name, color ?? defaultLabelColor(name)]));
}
