import type pg from "pg";

/** The schemas of Lodge's tables and of the job queue in a database without other cells. */
const ownDatabase = { tables: "public", jobs: "graphile_worker" };

/** Whether a name is allowed for a cell's schema: lower-case letters, digits and underscores, at most 40. */
export const isSchemaName = (name: string): boolean =>
  /^(?!pg_)[a-z][a-z0-9_]{0,39}$/.test(name) && !["information_schema", ...Object.values(ownDatabase)].includes(name);

/** The schema of the job queue's tables: the cell's schema, if it has one. */
export const jobsSchemaOf = (schema?: string): string => schema ?? ownDatabase.jobs;

/** The search path: the cell's schema, then that of the extensions. */
export const searchPathOf = (schema?: string): string =>
  [schema ?? ownDatabase.tables, schema === undefined ? ownDatabase.jobs : ownDatabase.tables].join(", ");

/** The schema of the extensions, which each database has once. */
export const extensionSchema = ownDatabase.tables;

/** The schema of a pool's sessions; undefined in a database without other cells. */
export const schemaOf = (pool: pg.Pool): string | undefined => (pool.options as { schema?: string }).schema;

/** SQL: the name of a channel or lock, which is database-wide, made unique for its schema. */
export const ownNameSql = (name: string): string =>
  `case current_schema() when '${ownDatabase.tables}' then '${name}' else '${name} ' || current_schema() end`;
