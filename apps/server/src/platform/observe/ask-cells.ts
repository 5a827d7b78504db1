import type pg from "pg";
import { Gauge } from "prom-client";
import { within } from "../outage.ts";
import { registry } from "./metrics.ts";

// Each of several processes asks for itself.
const cellUp = new Gauge({
  name: "lodged_cell_up",
  help: "1 where the database of a cell answers, 0 where it does not; the cell of DATABASE_URL is called home.",
  labelNames: ["cell"],
  registers: [registry],
  aggregator: "min",
});

const asked = new WeakMap<pg.Pool, Promise<unknown>>();

/**
 * Asks the database of each cell for an answer within `ms`, and returns the names of those that give none. A question that
 * is still open is not asked again: it would only take another connection. A cell without a name is called home.
 */
export async function askCells(
  cells: ReadonlyMap<string | undefined, pg.Pool | undefined>,
  ms: number,
): Promise<string[]> {
  const answers = await Promise.all(
    [...cells].map(async ([name = "home", pool]) => {
      const isUp = pool !== undefined && (await doesAnswer(pool, ms));
      cellUp.set({ cell: name }, isUp ? 1 : 0);
      return { name, isUp };
    }),
  );
  return answers.filter(({ isUp }) => !isUp).map(({ name }) => name);
}

async function doesAnswer(pool: pg.Pool, ms: number): Promise<boolean> {
  const open = asked.get(pool) ?? pool.query("select 1").finally(() => asked.delete(pool));
  asked.set(pool, open);
  return within(ms, open).then(
    () => true,
    () => false,
  );
}
