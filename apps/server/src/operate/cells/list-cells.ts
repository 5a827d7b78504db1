import type pg from "pg";
import type { SealingKeys } from "../../platform/config/seal.ts";
import { openPool } from "../../platform/database/database.ts";
import { createLog } from "../../platform/observe/log.ts";
import { home, listCells } from "./directory.ts";

/** A cell as operators see it. `organisations` is null if the cell does not respond. */
type ListedCell = { name: string; address: string; schema?: string; organisations: number | null };

/** Every cell with its number of organisations. Addresses are shown without passwords. */
export async function showCells(directory: pg.Pool, sealing: SealingKeys): Promise<ListedCell[]> {
  const others = await listCells(directory, sealing);
  const cells: ListedCell[] = [
    { name: home, address: "DATABASE_URL", organisations: await countOrganisations(directory) },
  ];
  for (const { name, ...address } of others) {
    await using pool = openPool(address, createLog("silent"), 1);
    const organisations = await countOrganisations(pool).catch(() => null);
    const { connectionString, schema } = address;
    cells.push({ name, address: withoutPassword(connectionString), ...(schema && { schema }), organisations });
  }
  return cells;
}

/** Whether a row of `organisations` has moved to another cell, and is not deleted here yet. */
export const hasLeft =
  "exists (select from cell_departures where organisation_id = organisations.id and state = 'left')";

/** The number of organisations in a cell. */
export async function countOrganisations(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from organisations where not ${hasLeft}`,
  );
  return rows[0]?.count ?? 0;
}

/** The address may name several hosts, which no URL parser accepts. */
const withoutPassword = (connectionString: string) =>
  connectionString.replace(/^(\w+:\/\/[^:/?#@]*):[^/?#]*@/, "$1@").replace(/([?&]password=)[^&#]*/, "$1…");
