import type { Transaction } from "../../platform/database/database.ts";

/** Labels as a ticket's history shows them; null for none. */
export const labelsInWords = (labels: readonly string[]): string | null => labels.join(", ") || null;

/** Creates those labels that the organisation does not have. */
export async function makeLabels(tx: Transaction, organisationId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx
    .insertInto("labels")
    .values([...names].sort().map((name) => ({ organisation_id: organisationId, name })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
