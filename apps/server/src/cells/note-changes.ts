import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { OperatorError } from "../platform/errors.ts";
import type { MovingTable, PersonTable } from "./moving-tables.ts";

/** A table that somebody writes for longer holds up all others for no longer than this; then it is tried again. */
const lockTimeoutMs = 300;
const attemptsMax = 100;
const pauseMs = 200;

const triggerOf = (table: string) => `cell_note_${table}`;

/** Whose a row `changed` is. */
const ownersOf = {
  id: "= changed.id",
  organisation_id: "= changed.organisation_id",
  app_id: "in (select apps.organisation_id from apps where apps.id = changed.app_id)",
};

/**
 * Has what is written to organisations that leave be noted, or refused, from now on: see `cell_note`. When this returns
 * whatever was written before has been committed or never will be, since a trigger waits for who writes to its table.
 */
export async function noteChanges(pool: pg.Pool, tables: MovingTable[], personal: PersonTable[]): Promise<void> {
  for (const { name, key, belongsBy } of tables) {
    const parts = key.map((column) => `'${column}', changed."${column}"`);
    await addTrigger(pool, name, ownersOf[belongsBy], `jsonb_build_object(${parts.join(", ")})`);
  }
  for (const { name, person } of [...personal, { name: "users", person: "id" }]) {
    const owners = `in (select members.organisation_id from members where members.user_id = changed."${person}")`;
    await addTrigger(pool, name, owners, "null"); // all that is theirs is copied while they wait
  }
}

async function addTrigger(pool: pg.Pool, table: string, owners: string, key: string) {
  const name = triggerOf(table);
  await pool.query(`create or replace function ${name}() returns trigger language plpgsql as $$
    declare
      changed "${table}"%rowtype;
      leaving uuid[];
    begin
      if current_setting('lodge.moving', true) = 'on' then return null; end if;
      if tg_op = 'DELETE' then changed := old; else changed := new; end if;
      select array_agg(departure.organisation_id) into leaving from cell_departures departure
      where departure.organisation_id ${owners};
      if leaving is not null then perform cell_note(leaving, '${table}', ${key}); end if;
      return null;
    end $$`);
  await patiently(
    pool,
    `create or replace trigger ${name} after insert or update or delete on "${table}" for each row execute function ${name}()`,
  );
}

/** Has nothing be noted any more. */
export async function stopNoting(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ table: string; trigger: string }>(
    `select relname as table, tgname as trigger from pg_trigger join pg_class on pg_class.oid = tgrelid
    where tgname ~ '^cell_note_' and tgparentid = 0 and relnamespace = current_schema()::regnamespace`,
  );
  for (const { table, trigger } of rows) await patiently(pool, `drop trigger if exists ${trigger} on "${table}"`);
  for (const { trigger } of rows) await pool.query(`drop function if exists ${trigger}()`);
}

/** Runs a statement in a transaction that waits for no lock for long, again and again. */
async function patiently(pool: pg.Pool, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await client.query(statement);
      await client.query("commit");
      client.release();
      return;
    } catch (error) {
      client.release(true);
      const { code = "" } = error as { code?: string };
      if (!["55P03", "40P01"].includes(code)) throw error;
      if (attempt === attemptsMax) throw new OperatorError("A table is locked for too long by something that writes.");
      await sleep(pauseMs);
    }
  }
}
