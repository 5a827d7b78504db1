import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Replaces a label by another one in the organisation's saved views. */
export async function renameLabelInViews(tx: Transaction, organisationId: string, name: string, becomes: string) {
  await sql`
    update board_views set filter = jsonb_set(filter, '{label}', to_jsonb(${becomes}::text))
    where organisation_id = ${organisationId} and filter ->> 'label' = ${name}`.execute(tx);
}
