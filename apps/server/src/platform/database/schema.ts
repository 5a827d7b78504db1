import type pg from "pg";

/** Where Lodge's tables lie in a database that has them to itself; those of the job queue lie beside them. */
const ownDatabase = { tables: "public", jobs: "graphile_worker" };

/** Whether somebody may name a schema so that has all of a cell's tables: small letters, digits and underscores, 40 at most. */
export const isSchemaName = (name: string): boolean =>
  /^(?!pg_)[a-z][a-z0-9_]{0,39}$/.test(name) && !["information_schema", ...Object.values(ownDatabase)].includes(name);

/** The schema of the job queue's tables: that of the others where it was named. */
export const jobsSchemaOf = (schema?: string): string => schema ?? ownDatabase.jobs;

/** Where what is named without a schema is looked for: in a cell's own, then where extensions are. */
export const searchPathOf = (schema?: string): string =>
  [schema ?? ownDatabase.tables, schema === undefined ? ownDatabase.jobs : ownDatabase.tables].join(", ");

/** Where extensions are made, which each database has once. */
export const extensionSchema = ownDatabase.tables;

/** The schema that the sessions of a pool were opened for; undefined for that of a database of its own. */
export const schemaOf = (pool: pg.Pool): string | undefined => (pool.options as { schema?: string }).schema;

/** SQL: the name of a channel or a lock, which belongs to its database, as no other schema of that has it. */
export const ownNameSql = (name: string): string =>
  `case current_schema() when '${ownDatabase.tables}' then '${name}' else '${name} ' || current_schema() end`;
