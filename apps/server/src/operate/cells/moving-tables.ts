import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";
import type { KeyedTable } from "../../platform/database/put-rows.ts";
import { listOrganisationTables, type OrganisationTable } from "../provisioning/organisation-tables.ts";

/** A table with rows of organisations, the columns of its primary key, and those that refer to people. */
export type MovingTable = OrganisationTable & KeyedTable & { people: string[] };

/** A table with people's own data, and the column that refers to the person. */
export type PersonTable = { name: string; columns: string[]; person: string };

/** The tables that move with an organisation, referenced tables first; and those that move with its people. */
export async function listMovingTables(db: Kysely<DB>): Promise<{ tables: MovingTable[]; personal: PersonTable[] }> {
  const listed = await listOrganisationTables(db);
  const { rows: keys } = await sql<{ name: string; key: string[] }>`
    select relname as name, array(
      select attname::text from unnest(indkey) with ordinality as part (number, place)
      join pg_attribute on attrelid = indrelid and attnum = part.number order by place) as key
    from pg_index join pg_class on pg_class.oid = indrelid
    where indisprimary and relnamespace = current_schema()::regnamespace`.execute(db);
  const keyOf = new Map(keys.map(({ name, key }) => [name, key]));
  const { rows: references } = await sql<PersonTable>`
    select relname as name, (
        select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = conrelid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      attname::text as person
    from pg_constraint join pg_class on pg_class.oid = conrelid and not relispartition
    join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = 'users'::regclass order by relname`.execute(db);
  const tables = listed.map((table) => {
    const key = keyOf.get(table.name);
    if (!key) throw new Error(`the table ${table.name} has no primary key`);
    const people = references.filter(({ name }) => name === table.name).map(({ person }) => person);
    return { ...table, key, people };
  });
  const names = new Set(tables.map(({ name }) => name));
  return { tables, personal: references.filter(({ name }) => !names.has(name)) };
}

/** Whether a row `r` belongs to one of these organisations. */
export const belongsToAny = ({ belongsBy }: OrganisationTable, organisationIds: string[]): RawBuilder<boolean> =>
  belongsBy === "app_id"
    ? sql`r.app_id in (select id from apps where organisation_id = any(${organisationIds}::uuid[]))`
    : sql`${sql.ref(`r.${belongsBy}`)} = any(${organisationIds}::uuid[])`;
