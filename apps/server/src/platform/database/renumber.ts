import { sql } from "kysely";
import type { Transaction } from "./database.ts";

/** Numbers rows of the caller's own table in the order of `ids`. Only writes rows whose number changes. */
export async function renumber(
  tx: Transaction,
  table: "projects" | "boards" | "columns",
  organisationId: string,
  ids: string[],
): Promise<void> {
  await sql`
    update ${sql.table(table)} as moved set position = place.number - 1
    from unnest(${ids}::uuid[]) with ordinality as place (id, number)
    where moved.organisation_id = ${organisationId} and moved.id = place.id and moved.position <> place.number - 1
  `.execute(tx);
}

/** The ids with one of them moved to `index`, or to the end if there are fewer. */
export function withMoved(ids: readonly string[], id: string, index: number): string[] {
  const others = ids.filter((other) => other !== id);
  return [...others.slice(0, index), id, ...others.slice(index)];
}
