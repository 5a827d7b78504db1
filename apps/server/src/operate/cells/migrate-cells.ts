import type pg from "pg";
import type { SealingKeys } from "../../platform/config/seal.ts";
import { openPool } from "../../platform/database/database.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { migrate } from "../../platform/migrate.ts";
import { createLog } from "../../platform/observe/log.ts";
import { isDivided, listCells } from "./directory.ts";

/**
 * Brings every cell but home up to date, one after the other, while the others serve: yields the migrations that each
 * needed. Throws an `OperatorError` at the end that names those which do not answer.
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
