import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** The labels of `tickets as t` as they are shown: renames, merges and deletions apply immediately. */
export const shownLabelsSql = sql`(case
  when t.labels <> '{}' and exists (select from label_changes where label_changes.organisation_id = t.organisation_id)
  then shown_labels(t.organisation_id, t.labels) else t.labels end)`;

/** The names under which tickets have a label: its own, and those being changed to it; none for a deleted one. */
export async function labelsMeant(db: Database, organisationId: string, label: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from label_changes where organisation_id = ${organisationId} and becomes = ${label}
    union all
    select ${label} where not exists (
      select from label_changes where organisation_id = ${organisationId} and name = ${label})`.execute(db);
  return rows.map(({ name }) => name);
}
