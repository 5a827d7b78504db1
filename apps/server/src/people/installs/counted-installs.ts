import type pg from "pg";

const installsMax = 50_000;

type Counted = { month: string; installs: Set<string> };
const countedOf = new WeakMap<pg.Pool, Counted>();

/**
 * Whether this process knows that an install was counted this month, and need not ask the database. Committed counts
 * stay valid for the month; evicted ones are read again.
 */
export const isCounted = (pool: pg.Pool, at: Date, install: string): boolean =>
  countedIn(pool, at).installs.has(install);

/** Remembers an install whose count was committed: at most 50,000 of the month. */
export function rememberCounted(pool: pg.Pool, at: Date, install: string): void {
  const { installs } = countedIn(pool, at);
  if (installs.size >= installsMax) installs.clear();
  installs.add(install);
}

function countedIn(pool: pg.Pool, at: Date): Counted {
  const month = at.toISOString().slice(0, 7);
  const known = countedOf.get(pool);
  if (known?.month === month) return known;
  const counted = { month, installs: new Set<string>() };
  countedOf.set(pool, counted);
  return counted;
}
