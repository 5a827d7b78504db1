import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Transaction } from "kysely";
import type pg from "pg";
import { releaseClaimsOfApps } from "../../inbox/deliveries/release-claims.ts";
import { abandonAllCopies, lockDays } from "../../inbox/reports/partitions.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SealingKeys } from "../../platform/config/seal.ts";
import type { DB } from "../../platform/database/database.generated.ts";
import { openPool, queryBuilder } from "../../platform/database/database.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { copyJobs } from "../../platform/jobs/jobs.ts";
import { createLog } from "../../platform/observe/log.ts";
import { newestMigration } from "../provisioning/organisation-tables.ts";
import { copyNamed, copyOrganisations, copyPeople, copyPersonal, followChanges, inSnapshot } from "./copy-rows.ts";
import { home, listCells, settleOrganisation } from "./directory.ts";
import { abandon, clear, hold, switchOver } from "./leave-cell.ts";
import {
  arrivingLock,
  findDeparted,
  findOrganisation,
  hasArrived,
  listApps,
  listArrived,
  type Place,
  subjectsOf,
} from "./moving-places.ts";
import { listMovingTables, type MovingTable, type PersonTable } from "./moving-tables.ts";
import { noteChanges } from "./note-changes.ts";

/** Servers look for the first cell every 15 s; until they find it, they only know home. */
const firstCellMs = 60_000;
/** Longer than a process takes to notice that it does not hear of moves. */
const settleMs = 15_000;
/** At most this many changes are copied while the organisations wait. */
const changesMax = 100;
const roundsMax = 50;

/** One command moves at a time. */
const movingLock = 5_063_431_027;

/** The receipt of a move. `changes` were made during the copy; `pauseMs` is how long writes were refused. */
export type MoveReceipt = {
  organisations: string[];
  from: string;
  to: string;
  rows: number;
  changes: number;
  pauseMs: number | null;
};

/** What to move, and how. */
type Wish = {
  organisation: string;
  to: string;
  /** Whether all other organisations of its people move too. */
  together: boolean;
  /** For tests. */
  settleMs?: number;
};

/**
 * `lodged cell move` (contract section 12): moves an organisation to another cell, with its ids, tokens, keys, links
 * and sessions, while it stays in use. During the last moments its writes are refused with `unavailable`. It is in one
 * cell at every moment: the old one until the copy is committed, the new one from then on. If the command is killed it
 * can be repeated. Throws an `OperatorError`.
 */
export async function moveOrganisation(
  { pool: directory, clock }: { pool: pg.Pool; clock: Clock },
  sealing: SealingKeys,
  wish: Wish,
): Promise<MoveReceipt> {
  await using opened = new AsyncDisposableStack();
  const places = new Map<string, Place>();
  const add = (name: string, pool: pg.Pool) => places.set(name, { name, pool, db: queryBuilder(pool) });
  add(home, directory);
  for (const { name, ...address } of await listCells(directory, sealing)) {
    add(name, opened.use(openPool(address, createLog("silent"), 4, { name: "lodged move" })));
  }
  const to = places.get(wish.to);
  if (!to) throw new OperatorError(`There is no cell ${wish.to}. The cells are ${[...places.keys()].join(", ")}.`);
  const lock = await directory.connect();
  opened.defer(async () => {
    await lock.query("select pg_advisory_unlock($1)", [movingLock]).catch(() => {}); // closing releases it too
    lock.release(true);
  });
  const { rows } = await lock.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [movingLock]);
  if (!rows[0]?.taken) throw new OperatorError("Another move is under way.");
  return await move(directory, places, to, wish, clock);
}

async function move(
  directory: pg.Pool,
  places: ReadonlyMap<string, Place>,
  to: Place,
  wish: Wish,
  clock: Clock,
): Promise<MoveReceipt> {
  const found = await findOrganisation(places, wish.organisation);
  const livesIn = await settleOrganisation(directory, found.id, found.cell);
  const from = livesIn === to.name ? await findDeparted(places, to, found.id) : places.get(livesIn);
  if (!from && livesIn === to.name) throw new OperatorError(`${wish.organisation} is already in ${to.name}.`);
  if (!from) throw new OperatorError(`${wish.organisation} is in ${livesIn}, which is no longer a cell.`);
  // If an earlier command was killed after the arrival, this one continues from there.
  const moved = (await hasArrived(to, from, found.id))
    ? undefined
    : await copy(places, from, to, await prepare(directory, places, from, to, found.id, wish.together, clock));
  const ids = await listArrived(from, to);
  await switchOver(directory, from, to, ids);
  const pauseMs = moved ? Math.round(performance.now() - moved.pausedAt) : null;
  await sleep(wish.settleMs ?? settleMs);
  await clear(from, to, ids);
  const names = await to.db.selectFrom("organisations").select("slug").where("id", "in", ids).orderBy("slug").execute();
  return {
    organisations: names.map(({ slug }) => slug),
    from: from.name,
    to: to.name,
    rows: moved?.rows ?? 0,
    changes: moved?.changes ?? 0,
    pauseMs,
  };
}

/** Checks that everything that moves together may move. Returns the ids. */
async function prepare(
  directory: pg.Pool,
  places: ReadonlyMap<string, Place>,
  from: Place,
  to: Place,
  id: string,
  together: boolean,
  clock: Clock,
): Promise<string[]> {
  await abandon(places, from);
  const { rows } = await directory.query<{ created_at: Date }>("select created_at from cells where name = $1", [home]);
  if (clock.now().getTime() < (rows[0]?.created_at.getTime() ?? 0) + firstCellMs) {
    throw new OperatorError(
      "Servers learn of the first cell within 15 seconds. Wait a minute after adding it, then move.",
    );
  }
  if ((await newestMigration(from.db)) !== (await newestMigration(to.db))) {
    throw new OperatorError(
      `${from.name} and ${to.name} were migrated by different releases. Start servers of one release, which migrate both.`,
    );
  }
  const ids = await listTogether(from, id, together);
  await checkRoom(from, to, ids);
  return ids;
}

type Counted = { rows: number; changes: number; pausedAt: number };

/**
 * Copies organisations, which are in the new cell when this returns. If it throws, they are in the old one, or the
 * outcome is unknown.
 */
async function copy(places: ReadonlyMap<string, Place>, from: Place, to: Place, ids: string[]): Promise<Counted> {
  const { tables, personal } = await listMovingTables(from.db);
  const counted = { rows: 0, changes: 0, pausedAt: performance.now() };
  try {
    for (const id of ids) {
      await from.pool.query("insert into cell_departures (organisation_id, to_cell) values ($1, $2)", [id, to.name]);
    }
    await abandonAllCopies(from.db);
    await noteChanges(from.pool, tables, personal);
    await to.db.transaction().execute((tx) => copyWithin(tx, from, to, tables, personal, ids, counted));
  } catch (error) {
    const outcome = await hasArrived(to, from, ids[0] ?? "").catch(() => undefined);
    if (outcome === undefined) {
      throw new OperatorError(
        `It is not known whether the organisation has arrived, because ${to.name} does not answer: ${describe(error)}. Repeat the command.`,
      );
    }
    if (!outcome) {
      await abandon(places, from);
      throw new OperatorError(`Nothing was moved: ${describe(error)}`);
    }
  }
  return counted;
}

/**
 * Copies everything, applies the changes made meanwhile, then holds the organisations and copies the rest, in one
 * transaction.
 */
async function copyWithin(
  tx: Transaction<DB>,
  from: Place,
  to: Place,
  tables: MovingTable[],
  personal: PersonTable[],
  ids: string[],
  counted: Counted,
) {
  await sql`select set_config('lodge.moving', 'on', true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(${arrivingLock})`.execute(tx);
  await lockDays(tx, to.db);
  counted.rows = await inSnapshot(from.db, async (snapshot) => {
    await copyNamed(snapshot, tx, tables, ids);
    return copyOrganisations(snapshot, tx, tables, ids);
  });
  for (let round = 0; round < roundsMax; round++) {
    const changes = await followChanges(from.db, tx, tables, ids);
    counted.changes += changes;
    if (changes <= changesMax) break;
  }
  counted.pausedAt = performance.now();
  await hold(from, ids, counted);
  counted.changes += await followChanges(from.db, tx, tables, ids);
  await inSnapshot(from.db, async (snapshot) => {
    const members = await snapshot
      .selectFrom("members")
      .select("user_id")
      .where("organisation_id", "in", ids)
      .execute();
    const userIds = [...new Set(members.map(({ user_id }) => user_id))];
    await copyPeople(snapshot, tx, sql`users.id = any(${userIds}::uuid[])`, ids);
    await copyPersonal(snapshot, tx, personal, userIds);
  });
  const apps = await listApps(tx, ids);
  await copyJobs(from.db, tx, await subjectsOf(from.db, ids));
  await releaseClaimsOfApps(tx, apps);
  await tx.deleteFrom("cell_departures").where("organisation_id", "in", ids).execute();
  await tx
    .insertInto("cell_arrivals")
    .values(ids.map((organisation_id) => ({ organisation_id, from_cell: from.name })))
    .onConflict((conflict) => conflict.column("organisation_id").doUpdateSet({ from_cell: from.name }))
    .execute();
}

/** The organisations that share people with an organisation, directly or through others. */
async function listTogether({ db }: Place, id: string, together: boolean): Promise<string[]> {
  const { rows } = await sql<{ id: string; slug: string }>`
    with recursive together (id) as (
      select ${id}::uuid
      union
      select others.organisation_id from together
      join members on members.organisation_id = together.id
      join members others on others.user_id = members.user_id
    )
    select organisations.id, slug from together join organisations using (id) order by slug`.execute(db);
  const others = rows.filter((row) => row.id !== id).map(({ slug }) => slug);
  if (others.length > 0 && !together) {
    throw new OperatorError(
      `All organisations of a person must be in one cell. People of this one are in ${others.join(", ")} as well. To move all of them, use --together.`,
    );
  }
  return rows.map((row) => row.id);
}

/** Throws an `OperatorError` if a slug or a person's address is already used in the other cell. */
async function checkRoom(from: Place, to: Place, ids: string[]) {
  const slugs = await from.db.selectFrom("organisations").select("slug").where("id", "in", ids).execute();
  const taken = await to.db
    .selectFrom("organisations")
    .select("slug")
    .where(
      "slug",
      "in",
      slugs.map(({ slug }) => slug),
    )
    .executeTakeFirst();
  if (taken) throw new OperatorError(`${to.name} already has an organisation ${taken.slug}.`);
  const people = await from.db
    .selectFrom("users")
    .innerJoin("members", "members.user_id", "users.id")
    .select("email")
    .distinct()
    .where("organisation_id", "in", ids)
    .where("provider_organisation_id", "is", null)
    .execute();
  const { rows } = await to.pool.query<{ email: string }>(
    `select email from users where email = any($1) and provider_organisation_id is null and (
      exists (select from members where user_id = users.id) or exists (select from passwords where user_id = users.id))
    limit 1`,
    [people.map(({ email }) => email)],
  );
  if (rows[0]) throw new OperatorError(`${rows[0].email} already has an account in ${to.name}.`);
}
