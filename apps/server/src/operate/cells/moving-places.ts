import { sql, type Transaction } from "kysely";
import type pg from "pg";
import type { DB } from "../../platform/database/database.generated.ts";
import type { Database } from "../../platform/database/database.ts";
import { OperatorError } from "../../platform/errors.ts";
import { hasLeft } from "./list-cells.ts";

/** Held in the target cell for as long as an arrival is uncertain. */
export const arrivingLock = 5_063_431_028;
/** The time that a transaction has to end after its connection was lost. */
const outcomeMs = 30_000;

/** A cell, or the database of the directory, which is a cell too. */
export type Place = { name: string; pool: pg.Pool; db: Database };

/**
 * Whether an organisation has arrived, once no transaction is left that could still commit it. Throws if that takes too
 * long.
 */
export async function hasArrived(to: Place, from: Place, id: string): Promise<boolean> {
  return to.db.transaction().execute(async (tx) => {
    await sql`select set_config('lock_timeout', ${`${outcomeMs}`}, true)`.execute(tx);
    await sql`select pg_advisory_xact_lock(${arrivingLock})`.execute(tx);
    const arrived = await tx
      .selectFrom("cell_arrivals")
      .select("organisation_id")
      .where("organisation_id", "=", id)
      .where("from_cell", "=", from.name)
      .executeTakeFirst();
    return arrived !== undefined;
  });
}

/** An organisation by its slug or id, and its cell; if two cells have it, the one that it is moving to. */
export async function findOrganisation(places: ReadonlyMap<string, Place>, wanted: string) {
  const silent: string[] = [];
  const found = new Map<string, string>();
  for (const { name, pool } of places.values()) {
    const { rows } = await pool
      .query<{ id: string; has_left: boolean }>(
        `select id, ${hasLeft} as has_left from organisations where slug = $1 or id::text = $1`,
        [wanted],
      )
      .catch(() => ({ rows: [], silent: silent.push(name) }));
    for (const { id, has_left } of rows) if (!has_left || !found.has(id)) found.set(id, name);
  }
  const [first, second] = found;
  if (second)
    throw new OperatorError(
      `Two cells have an organisation ${wanted}: name it by its id, one of ${[...found.keys()].join(", ")}.`,
    );
  if (!first) {
    const unasked = silent.length > 0 ? ` in the cells that answer: ${silent.join(", ")} does not` : "";
    throw new OperatorError(`There is no organisation ${wanted}${unasked}.`);
  }
  return { id: first[0], cell: first[1] };
}

/** The cell that has not yet deleted what moved from it to this one. */
export async function findDeparted(
  places: ReadonlyMap<string, Place>,
  to: Place,
  id: string,
): Promise<Place | undefined> {
  for (const place of places.values()) {
    if (place !== to && (await listArrived(place, to)).includes(id)) return place;
  }
  return undefined;
}

/** The organisations that have arrived in the other cell and are not yet deleted in the first. */
export async function listArrived(from: Place, to: Place): Promise<string[]> {
  const departed = await from.db
    .selectFrom("cell_departures")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select("organisation_id")
    .where("to_cell", "=", to.name)
    .where("state", "in", ["held", "left"])
    .execute();
  const ids = departed.map(({ organisation_id }) => organisation_id);
  const arrived = await to.db
    .selectFrom("cell_arrivals")
    .select("organisation_id")
    .where("organisation_id", "=", sql<string>`any(${ids}::uuid[])`)
    .where("from_cell", "=", from.name)
    .execute();
  return arrived.map(({ organisation_id }) => organisation_id);
}

/** The apps of organisations. */
export const listApps = async (db: Database | Transaction<DB>, ids: string[]): Promise<string[]> =>
  (await db.selectFrom("apps").select("id").where("organisation_id", "in", ids).execute()).map(({ id }) => id);

/** The parts of jobs that name organisations. */
export async function subjectsOf(db: Database | Transaction<DB>, ids: string[]): Promise<string[]> {
  const apps = await listApps(db, ids);
  const replays =
    apps.length === 0 ? [] : await db.selectFrom("replays").select("id").where("app_id", "in", apps).execute();
  return [...ids, ...apps, ...replays.map(({ id }) => id)];
}
