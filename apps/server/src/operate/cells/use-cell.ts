import type { World } from "@lodge/contract/world";
import type pg from "pg";
import type { CommandDatabase } from "../../platform/command/with-database.ts";
import type { SealingKeys } from "../../platform/config/seal.ts";
import { openPool } from "../../platform/database/database.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { makeBasics } from "../../platform/make-deps.ts";
import { migrate } from "../../platform/migrate.ts";
import { createLog } from "../../platform/observe/log.ts";
import { credential } from "./credential.ts";
import { home, isDivided, listCells } from "./directory.ts";
import { countOrganisations, hasLeft } from "./list-cells.ts";

/** Runs a command on a cell of the directory, by its name. Throws an `OperatorError` if there is no such cell. */
export async function useCell<T>(
  directory: CommandDatabase,
  readSealing: () => Promise<SealingKeys>,
  name: string,
  use: (database: CommandDatabase) => Promise<T>,
): Promise<T> {
  if (name === home) return use(directory);
  const others = await listCells(directory.pool, await readSealing());
  const cell = others.find((other) => other.name === name);
  if (!cell) {
    throw new OperatorError(
      `There is no cell ${name}. The cells are ${[home, ...others.map((other) => other.name)].join(", ")}.`,
    );
  }
  await using pool = openPool(cell, createLog("silent"));
  const migrations = await migrate(pool);
  return await use({ ...makeBasics(pool), migrations });
}

/**
 * The cell for a world file: that of its organisation, else that of its people, else the one with the fewest
 * organisations. Throws an `OperatorError` if its people would be in two cells, or a cell does not respond.
 */
export async function chooseCell(
  directory: CommandDatabase,
  readSealing: () => Promise<SealingKeys>,
  { organisation, members = [] }: World,
): Promise<string> {
  if (!(await isDivided(directory.pool))) return home;
  const cells: { name: string; organisations: number; isTheirs: boolean; people: string[] }[] = [];
  const look = async (name: string, pool: pg.Pool) => {
    const { rowCount } = await pool.query(`select from organisations where slug = $1 and not ${hasLeft}`, [
      organisation.slug,
    ]);
    const people: string[] = [];
    for (const { email } of members) {
      const { query, value } = credential("person", email.toLowerCase());
      if ((await pool.query(query, [value])).rowCount !== 0) people.push(email);
    }
    cells.push({ name, organisations: await countOrganisations(pool), isTheirs: rowCount !== 0, people });
  };
  await look(home, directory.pool);
  for (const cell of await listCells(directory.pool, await readSealing())) {
    await using pool = openPool(cell, createLog("silent"), 1);
    await look(cell.name, pool).catch((error: unknown) => {
      throw new OperatorError(`The cell ${cell.name} does not answer: ${describe(error)}`);
    });
  }
  const fewest = cells.toSorted((a, b) => a.organisations - b.organisations)[0];
  const chosen = cells.find(({ isTheirs }) => isTheirs) ?? cells.find(({ people }) => people.length > 0) ?? fewest;
  const elsewhere = cells.find((cell) => cell !== chosen && cell.people.length > 0);
  if (elsewhere) {
    throw new OperatorError(
      `All organisations of a person must be in one cell, and ${elsewhere.people[0]} has an account in ${elsewhere.name}: ${organisation.slug} would be in ${chosen?.name}.`,
    );
  }
  return chosen?.name ?? home;
}
