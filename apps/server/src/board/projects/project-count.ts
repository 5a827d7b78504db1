import { sql } from "kysely";

/** The number of projects of an organisation, as an SQL expression: the place of a new one, behind them. */
export const projectCount = (organisationId: string) =>
  sql<number>`(select count(*)::integer from projects where organisation_id = ${organisationId})`;
