import { sql } from "kysely";

/** How many projects an organisation has, as an SQL expression: the place of a new one, behind them. */
export const projectCount = (organisationId: string) =>
  sql<number>`(select count(*)::integer from projects where organisation_id = ${organisationId})`;
