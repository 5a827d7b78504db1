import type pg from "pg";
import { Gauge } from "prom-client";
import { within } from "../outage.ts";
import { registry } from "./metrics.ts";

const cellUp = new Gauge({
  name: "lodged_cell_up",
  help: "1 if the database of a cell answers, else 0; the cell of DATABASE_URL is called home.",
  labelNames: ["cell"],
  registers: [registry],
  aggregator: "min",
});

/** The connections of each cell; undefined if it cannot be served yet. The cell without a name is home. */
export type Pools = ReadonlyMap<string | undefined, pg.Pool | undefined>;

const asked = new WeakMap<pg.Pool, Promise<unknown>>();

/**
 * Pings the database of each cell, and returns the names of cells that do not answer within `ms`. Does not send another
 * ping while one is pending, since that would take another connection.
 */
export async function askCells(cells: Pools, ms: number): Promise<string[]> {
  const answers = await askEach(cells, ms);
  return answers.filter(({ isUp }) => !isUp).map(({ name }) => name);
}

/**
 * Measures the same for `GET /metrics`. Returns a function that resets the metric: the next request may go to another
 * process, and the value of this one would be reported forever.
 */
export async function measureCells(cells: Pools, ms: number): Promise<() => void> {
  for (const { name, isUp } of await askEach(cells, ms)) cellUp.set({ cell: name }, isUp ? 1 : 0);
  return () => cellUp.reset();
}

const askEach = (cells: Pools, ms: number) =>
  Promise.all(
    [...cells].map(async ([name = "home", pool]) => ({
      name,
      isUp: pool !== undefined && (await doesAnswer(pool, ms)),
    })),
  );

async function doesAnswer(pool: pg.Pool, ms: number): Promise<boolean> {
  const open = asked.get(pool) ?? pool.query("select 1").finally(() => asked.delete(pool));
  asked.set(pool, open);
  return within(ms, open).then(
    () => true,
    () => false,
  );
}
