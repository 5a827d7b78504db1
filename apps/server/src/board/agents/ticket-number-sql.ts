import { type RawBuilder, sql } from "kysely";

/** SQL: the number of a run's ticket, like WEB-214; null until it has one. */
export const ticketNumberSql = (run: "agent_runs" | "run"): RawBuilder<unknown> => sql`(
  select upper(projects.slug) || '-' || numbered.number from ticket_numbers numbered
  join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
  where numbered.organisation_id = ${sql.table(run)}.organisation_id and numbered.ticket_id = ${sql.table(run)}.ticket_id)`;
