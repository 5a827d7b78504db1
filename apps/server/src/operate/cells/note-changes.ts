import { sql } from "kysely";
import type pg from "pg";
import { queryBuilder } from "../../platform/database/database.ts";
import { isOfLock, patiently } from "../../platform/database/patiently.ts";
import { OperatorError } from "../../platform/errors.ts";
import type { MovingTable, PersonTable } from "./moving-tables.ts";

const triggerOf = (table: string) => `cell_note_${table}`;

/** The SQL for the organisation of a row `changed`. */
const ownersOf = {
  id: "= changed.id",
  organisation_id: "= changed.organisation_id",
  app_id: "in (select apps.organisation_id from apps where apps.id = changed.app_id)",
};

/**
 * Makes `cell_note` record, or refuse, writes of moving organisations from now on. When this returns, every earlier
 * write is committed or rolled back, because creating a trigger waits for the table's writers.
 */
export async function noteChanges(pool: pg.Pool, tables: MovingTable[], personal: PersonTable[]): Promise<void> {
  for (const { name, key, belongsBy } of tables) {
    const parts = key.map((column) => `'${column}', changed."${column}"`);
    await addTrigger(pool, name, ownersOf[belongsBy], `jsonb_build_object(${parts.join(", ")})`);
  }
  for (const { name, person } of [...personal, { name: "users", person: "id" }]) {
    const owners = `in (select members.organisation_id from members where members.user_id = changed."${person}")`;
    await addTrigger(pool, name, owners, "null"); // everything of theirs is copied while they wait
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
  await alter(
    pool,
    `create or replace trigger ${name} after insert or update or delete on "${table}" for each row execute function ${name}()`,
  );
}

/** Stops recording changes. */
export async function stopNoting(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ table: string; trigger: string }>(
    `select relname as table, tgname as trigger from pg_trigger join pg_class on pg_class.oid = tgrelid
    where tgname ~ '^cell_note_' and tgparentid = 0 and relnamespace = current_schema()::regnamespace`,
  );
  for (const { table, trigger } of rows) await alter(pool, `drop trigger if exists ${trigger} on "${table}"`);
  for (const { trigger } of rows) await pool.query(`drop function if exists ${trigger}()`);
}

async function alter(pool: pg.Pool, statement: string): Promise<void> {
  await patiently(queryBuilder(pool), (tx) => sql.raw(statement).execute(tx)).catch((error: unknown) => {
    throw isOfLock(error) ? new OperatorError("A writer has locked a table for too long.") : error;
  });
}
