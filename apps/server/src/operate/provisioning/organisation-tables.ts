import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";

/** A table with rows of organisations, its written columns, and the column that leads to a row's organisation. */
export type OrganisationTable = { name: string; columns: string[]; belongsBy: "id" | "organisation_id" | "app_id" };

/** The tables of the database whose rows belong to organisations, referenced tables first. */
export async function listOrganisationTables(db: Kysely<DB>): Promise<OrganisationTable[]> {
  const { rows } = await sql<OrganisationTable & { refers: string[] }>`
    select relname as name,
      array_agg(attname::text order by attnum) filter (where attgenerated = '') as columns,
      case when relname = 'organisations' then 'id'
        when bool_or(attname = 'organisation_id') then 'organisation_id' else 'app_id' end as "belongsBy",
      (select coalesce(array_agg(confrelid::regclass::text), '{}')
        from pg_constraint where contype = 'f' and conrelid = pg_class.oid) as refers
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname !~ '^cell_' -- which say where organisations live
      and relname !~ '^(events|event_summaries)_[0-9]+$' -- copies that are no partitions yet
    group by pg_class.oid, relname
    having relname = 'organisations' or bool_or(attname in ('organisation_id', 'app_id'))
    order by relname`.execute(db);
  const sorted: OrganisationTable[] = [];
  let waiting = rows;
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    // Some tables refer to their owner only by a column, without a foreign key.
    const owner = { id: [], organisation_id: ["organisations"], app_id: ["apps"] };
    const next = waiting.filter(({ refers, belongsBy }) =>
      [...refers, ...owner[belongsBy]].every((name) => !names.has(name)),
    );
    if (next.length === 0) throw new Error(`Tables that refer to each other: ${[...names].join(", ")}`);
    sorted.push(...next.map(({ name, columns, belongsBy }) => ({ name, columns, belongsBy })));
    waiting = waiting.filter((table) => !next.includes(table));
  }
  return sorted;
}

/** Whether a row `r` of a table belongs to an organisation. */
export const belongsTo = ({ belongsBy }: OrganisationTable, organisationId: string): RawBuilder<boolean> =>
  belongsBy === "app_id"
    ? sql`r.app_id in (select id from apps where organisation_id = ${organisationId})`
    : sql`${sql.ref(`r.${belongsBy}`)} = ${organisationId}`;

/** The newest migration of a database: rows can only be exchanged if it is the same. */
export async function newestMigration(db: Kysely<DB>): Promise<string> {
  const { rows } = await sql<{ name: string }>`select max(name) as name from schema_migrations`.execute(db);
  return rows[0]?.name ?? "";
}
