import type { LabelList, LabelQuery } from "@lodge/contract/dashboard/labels";
import { defaultLabelColor, type LabelColor } from "@lodge/contract/label-colors";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { containing } from "../../platform/database/rarest-part.ts";
import type { Deps } from "../../platform/deps.ts";

const labelsListed = 1000;

/** The labels that tickets of the organisation have had and whose names contain a text, by name, at most 1,000. */
export async function listLabels(
  { db }: Deps,
  { organisationId }: Actor,
  { text = "" }: LabelQuery,
): Promise<LabelList> {
  const { rows } = await sql<{ name: string; color: LabelColor | null }>`
    select name, color from labels
    where organisation_id = ${organisationId} and name ilike ${containing(text)} and not exists (
      select from label_changes changed
      where changed.organisation_id = labels.organisation_id and changed.name = labels.name)
    order by name limit ${labelsListed}`.execute(db);
  return { labels: rows.map(({ name, color }) => ({ name, color: color ?? defaultLabelColor(name) })) };
}
