import type pg from "pg";
import type { SealingKeys } from "../../platform/config/seal.ts";
import { openPool } from "../../platform/database/database.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { migrate } from "../../platform/migrate.ts";
import { createLog } from "../../platform/observe/log.ts";
import { isDivided, listCells } from "./directory.ts";

/**
 * Migrates every cell other than home, one at a time, while the others serve; yields the migrations applied to each.
 * Finally throws an `OperatorError` that names the cells that do not respond.
 */
export async function* migrateCells(
  directory: pg.Pool,
  readSealing: () => Promise<SealingKeys>,
): AsyncGenerator<{ cell: string; applied: string[] }> {
  if (!(await isDivided(directory))) return;
  const problems: string[] = [];
  for (const cell of await listCells(directory, await readSealing())) {
    await using pool = openPool(cell, createLog("silent"), 2, { name: "lodged migrations" });
    const applied = await migrate(pool).catch((error: unknown) => {
      problems.push(`The cell ${cell.name}: ${describe(error)}`);
      return [];
    });
    yield { cell: cell.name, applied };
  }
  if (problems.length > 0) throw new OperatorError(problems.join("\n"));
}
