import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { lockDays } from "../../inbox/reports/partitions.ts";
import { publishEndOfSession } from "../../platform/database/publish.ts";
import { deleteSome } from "../../platform/database/put-rows.ts";
import { OperatorError } from "../../platform/errors.ts";
import { dropJobs } from "../../platform/jobs/jobs.ts";
import { tellServers } from "./add-cell.ts";
import { hasArrived, type Place, subjectsOf } from "./moving-places.ts";
import { belongsToAny, listMovingTables } from "./moving-tables.ts";
import { stopNoting } from "./note-changes.ts";

/** `cell_note` takes this lock. */
const leavingLock = 5_063_431_026;
const rowsPerStep = 5_000;
/** The time that a move waits for writers, while later ones queue; then they continue, and the move retries. */
const holdMs = 1_000;
const holdPauseMs = 500;
const holdAttemptsMax = 60;

/** Refuses writes of the organisations from now on. Returns when all earlier writes are committed. */
export async function hold({ pool }: Place, ids: string[], counted: { pausedAt: number }) {
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
      if (rowCount !== ids.length) throw new OperatorError("Another command has cancelled this move.");
      await client.query("commit");
      client.release();
      return;
    } catch (error) {
      client.release(true);
      if ((error as { code?: string }).code !== "55P03" || attempt === holdAttemptsMax) throw error;
      await sleep(holdPauseMs); // somebody writes for a long time
    }
  }
}

/** Makes every server look up the organisations' new cell. */
export async function switchOver(directory: pg.Pool, from: Place, to: Place, ids: string[]) {
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
  // Open pages get events from the old cell: their streams end, and they reconnect to the new one.
  const sessions = await from.db
    .selectFrom("sessions")
    .innerJoin("members", "members.user_id", "sessions.user_id")
    .select("sessions.id")
    .distinct()
    .where("members.organisation_id", "in", ids)
    .execute();
  for (const { id } of sessions) await publishEndOfSession(from.db, id);
}

/**
 * Deletes moved rows, a few thousand at a time: first those that workers would act on, and names of files before their
 * texts.
 */
export async function clear(from: Place, to: Place, ids: string[]) {
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
      await lockDays(tx, db);
      return deleteSome(tx, name, condition, rowsPerStep);
    });
  }
}

/** Cancels moves that have not arrived: the copy is rolled back, and the organisations stay in this cell. */
export async function abandon(places: ReadonlyMap<string, Place>, from: Place) {
  const begun = await from.db
    .selectFrom("cell_departures")
    .select(["organisation_id", "to_cell"])
    .where("state", "=", "held")
    .execute();
  for (const { organisation_id, to_cell } of begun) {
    const to = places.get(to_cell);
    if (!to || (await hasArrived(to, from, organisation_id))) {
      throw new OperatorError(
        `An earlier move is unfinished. Repeat it first: lodged cell move ${organisation_id} ${to_cell}`,
      );
    }
  }
  await from.db.deleteFrom("cell_departures").where("state", "in", ["copied", "held"]).execute();
  await from.db.deleteFrom("cell_changes").execute();
  await stopNoting(from.pool);
}
