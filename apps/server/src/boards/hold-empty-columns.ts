import type { Transaction } from "../platform/database/database.ts";
import { Refusal } from "../platform/errors.ts";

/**
 * Makes sure that columns have no cards, and get none before the transaction ends. Throws `not_empty`.
 * The lock waits for whoever is filing a ticket there; only then is it asked whether there are any.
 */
export async function holdEmptyColumns(tx: Transaction, organisationId: string, columnIds: string[]): Promise<void> {
  if (columnIds.length === 0) return;
  await tx
    .selectFrom("columns")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "in", columnIds)
    .orderBy("id")
    .forUpdate()
    .execute();
  const ticket = await tx
    .selectFrom("tickets")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("column_id", "in", columnIds)
    .limit(1)
    .executeTakeFirst();
  if (ticket) throw new Refusal("not_empty");
}
