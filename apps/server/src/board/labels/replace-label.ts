import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { renameLabelInViews } from "../boards/rename-label-in-views.ts";

/**
 * Replaces or deletes a label of the organisation: readers see it immediately, and the worker then rewrites the
 * tickets. The label must be locked.
 */
export async function replaceLabel(
  tx: Transaction,
  organisationId: string,
  name: string,
  becomes: string | null,
): Promise<void> {
  await sql`update label_changes set becomes = ${becomes} where organisation_id = ${organisationId} and becomes = ${name}`.execute(
    tx,
  );
  await tx.insertInto("label_changes").values({ organisation_id: organisationId, name, becomes }).execute();
  if (becomes !== null) await renameLabelInViews(tx, organisationId, name, becomes);
}
