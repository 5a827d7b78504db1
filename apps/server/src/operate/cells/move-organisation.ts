import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql, type Transaction } from "kysely";
import type pg from "pg";
import { releaseClaimsOfApps } from "../../inbox/deliveries/release-claims.ts";
import { giveUpAllCopying, holdDays } from "../../inbox/reports/partitions.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SealingKeys } from "../../platform/config/seal.ts";
import type { DB } from "../../platform/database/database.generated.ts";
import { type Database, openPool, queryBuilder } from "../../platform/database/database.ts";
import { publishEndOfSession } from "../../platform/database/publish.ts";
import { deleteSome } from "../../platform/database/put-rows.ts";
import { describe, OperatorError } from "../../platform/errors.ts";
import { copyJobs, dropJobs } from "../../platform/jobs/jobs.ts";
import { createLog } from "../../platform/observe/log.ts";
import { newestMigration } from "../provisioning/organisation-tables.ts";
import { tellServers } from "./add-cell.ts";
import { copyNamed, copyOrganisations, copyPeople, copyPersonal, followChanges, inSnapshot } from "./copy-rows.ts";
import { home, listCells, settleOrganisation } from "./directory.ts";
import { hasLeft } from "./list-cells.ts";
import { belongsToAny, listMovingTables, type MovingTable, type PersonTable } from "./moving-tables.ts";
import { noteChanges, stopNoting } from "./note-changes.ts";

/** Servers look for the first cell every 15 s: until they have, they know no other place than home. */
const firstCellMs = 60_000;
/** Longer than a process takes to notice that it does not hear of moves. */
const settleMs = 15_000;
/** So few are followed while the organisations wait. */
const changesMax = 100;
const roundsMax = 50;
const rowsPerStep = 5_000;
/** Who writes is waited for so long, with all who come after; then they go on, and it is tried again. */
const holdMs = 1_000;
const holdPauseMs = 500;
const holdAttemptsMax = 60;
/** How long a transaction may go on to end whose connection was lost. */
const outcomeMs = 30_000;

/** One command moves at a time: in the directory, and in the cell that something comes to, for as long as it is not known to have come. */
const movingLock = 5_063_431_027;
const arrivingLock = 5_063_431_028;
/** `cell_note` takes it. */
const leavingLock = 5_063_431_026;

/** What a move took. `changes` were made while it was copied; `pauseMs` is how long writes were refused. */
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
  /** Whether all other organisations of its people come along. */
  together: boolean;
  /** For tests. */
  settleMs?: number;
};

type Place = { name: string; pool: pg.Pool; db: Database };

/**
 * `lodged cell move` (contract section 12): has an organisation live in another cell, with its ids, tokens, keys, links and
 * sessions, while it works on. For the last moments of it what it writes is refused with `unavailable`. It lives in one
 * cell at every moment: until what was copied is committed in the one, from then on in the other, and a command that was
 * killed is repeated. Throws an `OperatorError`.
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
  if (!to) throw new OperatorError(`There is no cell ${wish.to}. There are: ${[...places.keys()].join(", ")}.`);
  const lock = await directory.connect();
  opened.defer(async () => {
    await lock.query("select pg_advisory_unlock($1)", [movingLock]).catch(() => {}); // with its connection it goes as well
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
  if (!from && livesIn === to.name) throw new OperatorError(`${wish.organisation} lives in ${to.name} already.`);
  if (!from) throw new OperatorError(`${wish.organisation} lives in ${livesIn}, which is no cell any more.`);
  // Where an earlier command was killed after it had come, everything goes on from there.
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

/** Sees that everything that moves together may. Returns the ids. */
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
    throw new OperatorError("Servers hear of the first cell within 15 seconds: move a minute after it was added.");
  }
  if ((await newestMigration(from.db)) !== (await newestMigration(to.db))) {
    throw new OperatorError(
      `${from.name} and ${to.name} are of different releases: servers of one release bring them to the same.`,
    );
  }
  const ids = await listTogether(from, id, together);
  await checkRoom(from, to, ids);
  return ids;
}

type Counted = { rows: number; changes: number; pausedAt: number };

/** Copies organisations, which live there when this returns. Where it throws they live where they did, or nobody knows. */
async function copy(places: ReadonlyMap<string, Place>, from: Place, to: Place, ids: string[]): Promise<Counted> {
  const { tables, personal } = await listMovingTables(from.db);
  const counted = { rows: 0, changes: 0, pausedAt: performance.now() };
  try {
    for (const id of ids) {
      await from.pool.query("insert into cell_departures (organisation_id, to_cell) values ($1, $2)", [id, to.name]);
    }
    await giveUpAllCopying(from.db);
    await noteChanges(from.pool, tables, personal);
    await to.db.transaction().execute((tx) => copyWithin(tx, from, to, tables, personal, ids, counted));
  } catch (error) {
    const outcome = await hasArrived(to, from, ids[0] ?? "").catch(() => undefined);
    if (outcome === undefined) {
      throw new OperatorError(
        `Nobody knows whether it has arrived, as ${to.name} does not answer: ${describe(error)}. Repeat the command.`,
      );
    }
    if (!outcome) {
      await abandon(places, from);
      throw new OperatorError(`Nothing was moved: ${describe(error)}`);
    }
  }
  return counted;
}

/** Copies everything, follows what changes meanwhile, then holds the organisations and copies the rest: one transaction. */
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
  await holdDays(tx, to.db);
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

/** Refuses what the organisations write from now on. Returns when whatever was written before is committed. */
async function hold({ pool }: Place, ids: string[], counted: { pausedAt: number }) {
  for (let attempt = 1; ; attempt++) {
    counted.pausedAt = performance.now();
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${holdMs}`);
      await client.query("select pg_advisory_xact_lock($1)", [leavingLock]);
      const { rowCount } = await client.query(
        "update cell_departures set state = 'held' where organisation_id = any($1) and state = 'copied'",
        [ids],
      );
      if (rowCount !== ids.length) throw new OperatorError("Another command has given this move up.");
      await client.query("commit");
      client.release();
      return;
    } catch (error) {
      client.release(true);
      if ((error as { code?: string }).code !== "55P03" || attempt === holdAttemptsMax) throw error;
      await sleep(holdPauseMs); // somebody writes for long
    }
  }
}

/** Has everybody look for the organisations where they live now. */
async function switchOver(directory: pg.Pool, from: Place, to: Place, ids: string[]) {
  await directory.query(
    `insert into cell_organisations (organisation_id, cell) select id, $2 from unnest($1::uuid[]) id
    on conflict (organisation_id) do update set cell = excluded.cell`,
    [ids, to.name],
  );
  await tellServers(directory, { moved: { organisationIds: ids, cell: to.name } });
  await from.db.transaction().execute(async (tx) => {
    await tx.updateTable("cell_departures").set({ state: "left" }).where("organisation_id", "in", ids).execute();
    await tx.deleteFrom("cell_arrivals").where("organisation_id", "in", ids).execute();
    await tx.deleteFrom("cell_changes").where("organisation_id", "in", ids).execute();
    await dropJobs(tx, await subjectsOf(tx, ids));
  });
  // Whoever looks at a page hears of changes from where the organisation was: they ask again, and come to where it is.
  const sessions = await from.db
    .selectFrom("sessions")
    .innerJoin("members", "members.user_id", "sessions.user_id")
    .select("sessions.id")
    .distinct()
    .where("members.organisation_id", "in", ids)
    .execute();
  for (const { id } of sessions) await publishEndOfSession(from.db, id);
}

/** Deletes what has left, a few thousand rows at a time: what workers would act on first, files' names before their texts. */
async function clear(from: Place, to: Place, ids: string[]) {
  if (ids.length === 0) return;
  const { tables, personal } = await listMovingTables(from.db);
  const inOrder = tables.toReversed().filter(({ name }) => name !== "organisations");
  const named = inOrder.filter(({ columns }) => columns.includes("store_key"));
  for (const table of [...named, ...inOrder]) await clearTable(from, table.name, belongsToAny(table, ids));
  const members = await to.db.selectFrom("members").select("user_id").where("organisation_id", "in", ids).execute();
  const userIds = members.map(({ user_id }) => user_id);
  for (const { name, person } of personal) {
    await clearTable(
      from,
      name,
      sql`${sql.ref(`r.${person}`)} = any(${userIds}::uuid[]) and not exists (
        select from members where user_id = ${sql.ref(`r.${person}`)})`,
    );
  }
  await clearTable(from, "organisations", sql`r.id = any(${ids}::uuid[])`);
  await stopNoting(from.pool);
}

async function clearTable({ db }: Place, name: string, condition: RawBuilder<boolean>) {
  for (let deleted = rowsPerStep; deleted === rowsPerStep; ) {
    deleted = await db.transaction().execute(async (tx) => {
      await sql`select set_config('lodge.moving', 'on', true)`.execute(tx);
      await holdDays(tx, db);
      return deleteSome(tx, name, condition, rowsPerStep);
    });
  }
}

/** Forgets moves that have not arrived anywhere: what was copied is rolled back, and the organisations go on here. */
async function abandon(places: ReadonlyMap<string, Place>, from: Place) {
  const begun = await from.db
    .selectFrom("cell_departures")
    .select(["organisation_id", "to_cell"])
    .where("state", "=", "held")
    .execute();
  for (const { organisation_id, to_cell } of begun) {
    const to = places.get(to_cell);
    if (!to || (await hasArrived(to, from, organisation_id))) {
      throw new OperatorError(
        `An earlier move to ${to_cell} is to be repeated first, of the organisation ${organisation_id}.`,
      );
    }
  }
  await from.db.deleteFrom("cell_departures").where("state", "in", ["copied", "held"]).execute();
  await from.db.deleteFrom("cell_changes").execute();
  await stopNoting(from.pool);
}

/** Whether an organisation has come, once no transaction is left that may still bring it. Throws where that takes too long. */
async function hasArrived(to: Place, from: Place, id: string): Promise<boolean> {
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

/** An organisation by its slug or id, and a cell that has it: the one where it is about to live, where there are two. */
async function findOrganisation(places: ReadonlyMap<string, Place>, wanted: string) {
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

/** The cell that has not deleted yet what has left it for this one. */
async function findDeparted(places: ReadonlyMap<string, Place>, to: Place, id: string): Promise<Place | undefined> {
  for (const place of places.values()) {
    if (place !== to && (await listArrived(place, to)).includes(id)) return place;
  }
  return undefined;
}

/** What has come from one cell to another, and is not deleted yet in the one. */
async function listArrived(from: Place, to: Place): Promise<string[]> {
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

/** The organisations that an organisation shares people with, and those they share people with. */
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
      `All organisations of a person live in one cell. People of this one are in ${others.join(", ")} as well: --together moves all of them.`,
    );
  }
  return rows.map((row) => row.id);
}

/** Throws an `OperatorError` where a name or a person is somebody else's in the other cell. */
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
  if (taken) throw new OperatorError(`${to.name} has an organisation ${taken.slug} already.`);
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
  if (rows[0]) throw new OperatorError(`${rows[0].email} has an account in ${to.name} already.`);
}

const listApps = async (db: Database | Transaction<DB>, ids: string[]): Promise<string[]> =>
  (await db.selectFrom("apps").select("id").where("organisation_id", "in", ids).execute()).map(({ id }) => id);

/** What jobs name that are of organisations. */
async function subjectsOf(db: Database | Transaction<DB>, ids: string[]): Promise<string[]> {
  const apps = await listApps(db, ids);
  const replays =
    apps.length === 0 ? [] : await db.selectFrom("replays").select("id").where("app_id", "in", apps).execute();
  return [...ids, ...apps, ...replays.map(({ id }) => id)];
}
