import type { EmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";

/** DATABASE_URL for a database of an embedded PostgreSQL. */
export const databaseUrl = ({ user, host, port }: EmbeddedPostgres["address"], database: string): string =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
