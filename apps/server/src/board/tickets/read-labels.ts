import { defaultLabelColor, type LabelColor, labelColorHex } from "@lodge/contract/label-colors";
import { sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { reachedColumns } from "./reached-columns.ts";
import { shownLabelsSql } from "./shown-labels.ts";

const labelsListed = 1_000;

/** The labels of the tickets that a token can access, by name, with their ticket counts. Throws `project_not_found`. */
export async function readLabels({ db }: Deps, token: Token, query: { projectId?: string }) {
  const { columnIds } = await reachedColumns(db, token, query);
  const { rows } = await sql<{ name: string; color: LabelColor | null; tickets: number }>`
    select label as name, labels.color, tickets from (
      select label, count(*)::integer as tickets from tickets t, unnest(${shownLabelsSql}) label
      where t.organisation_id = ${token.organisationId} and t.column_id = any(${columnIds}::uuid[]) and t.labels <> '{}'
      group by label order by label limit ${labelsListed}) counted
    left join labels on labels.organisation_id = ${token.organisationId} and labels.name = label
    order by label`.execute(db);
  return {
    labels: rows.map(({ name, color, tickets }) => ({
      name,
      color: labelColorHex[color ?? defaultLabelColor(name)],
      tickets,
    })),
  };
}
