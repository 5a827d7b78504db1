import { defaultLabelColor, type LabelColor } from "@lodge/contract/label-colors";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** Holds labels of the organisation until the transaction ends. Throws `label_not_found` where one is missing or on its way out. */
export async function lockLabels(
  tx: Transaction,
  organisationId: string,
  names: string[],
): Promise<Map<string, LabelColor>> {
  const { rows } = await sql<{ name: string; color: LabelColor | null }>`
    select name, color from labels where organisation_id = ${organisationId} and name = any(${names}::text[])
    order by name for update`.execute(tx);
  const leaving = await tx
    .selectFrom("label_changes") // only now: whoever held the labels may have written it
    .select("name")
    .where("organisation_id", "=", organisationId)
    .where("name", "in", names)
    .executeTakeFirst();
  if (rows.length < new Set(names).size || leaving) throw new Refusal("label_not_found");
  return new Map(rows.map(({ name, color }) => [name, color ?? defaultLabelColor(name)]));
}
