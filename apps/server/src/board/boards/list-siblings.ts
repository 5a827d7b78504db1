import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

const parents = { boards: "project_id", columns: "board_id" } as const;

/** The boards of a project, or the columns of a board, in their order. */
export async function listSiblings(
  tx: Transaction,
  table: keyof typeof parents,
  organisationId: string,
  parentId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)}
    where organisation_id = ${organisationId} and ${sql.ref(parents[table])} = ${parentId}
    order by position, id
  `.execute(tx);
  return rows.map(({ id }) => id);
}
