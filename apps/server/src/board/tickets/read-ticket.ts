import type { Card } from "@lodge/contract/dashboard/boards";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { type RawBuilder, sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import { reachesProject } from "../../people/tokens/reaches-project.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { type RunRow, runColumns, runJoins, toRun } from "../agents/run-columns.ts";
import { type CardRow, cardColumns, cardJoins, toCard } from "./card.ts";
import { withNumbers } from "./number-tickets.ts";

/** Where a ticket is, as `placeColumns` selects it. */
export type PlaceRow = {
  column_id: string;
  column_name: string;
  column_is_done: boolean;
  board_id: string;
  board_name: string;
  project_id: string;
  project_name: string;
};

/** What to select for the place of `tickets as t`, beside `placeJoins`. */
export const placeColumns: RawBuilder<unknown> = sql`
  columns.name as column_name, columns.is_done as column_is_done, boards.id as board_id, boards.name as board_name,
  projects.id as project_id, projects.name as project_name`;

/** The joins that `placeColumns` needs. */
export const placeJoins: RawBuilder<unknown> = sql`
  join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
  join boards on boards.organisation_id = t.organisation_id and boards.id = columns.board_id
  join projects on projects.organisation_id = t.organisation_id and projects.id = boards.project_id`;

/** Converts a row to a place of the dashboard. */
export const toPlace = (row: PlaceRow) => ({
  project: { id: row.project_id, name: row.project_name },
  board: { id: row.board_id, name: row.board_name },
  column: { id: row.column_id, name: row.column_name, isDone: row.column_is_done },
});

/** A ticket with all of its shown fields. */
export type TicketRow = CardRow &
  PlaceRow & {
    description: string;
    agent_repository_id: string | null;
    problem: string | null;
    previous_ticket_id: string | null;
    author_is_agent: boolean;
  } & (RunRow | { run_id: null });

/**
 * The tickets of an organisation that meet a condition on `tickets as t` and `projects`, and that the token, if given,
 * can access.
 */
export async function readTicketRows(
  db: Database,
  organisationId: string,
  condition: RawBuilder<unknown>,
  token?: Token,
): Promise<TicketRow[]> {
  const { rows } = await sql<TicketRow>`
    select ${cardColumns}, ${placeColumns}, t.description, t.agent_repository_id, t.problem, t.previous_ticket_id,
      t.author_user_id is not null and t.author_user_id is not distinct from o.agent_user_id as author_is_agent,
      run.*
    from tickets t ${cardJoins} ${placeJoins}
    left join lateral (
      select ${runColumns} from agent_runs run ${runJoins}
      where run.organisation_id = t.organisation_id and run.ticket_id = t.id
      order by run.id desc limit 1) run on true
    where t.organisation_id = ${organisationId} and ${condition}
      and ${token ? reachesProject(token, sql.ref("projects.id")) : sql`true`}`.execute(db);
  return withNumbers(db, organisationId, rows);
}

/**
 * A ticket with everything that its page shows. A token without access gets the error of a missing ticket. Throws
 * `ticket_not_found`.
 */
export async function readTicket(
  { urls }: Deps,
  db: Database,
  organisationId: string,
  ticketId: string,
  token?: Token,
): Promise<TicketDetails> {
  const [row] = await readTicketRows(db, organisationId, sql`t.id = ${ticketId}`, token);
  if (!row) throw new Refusal("ticket_not_found");
  return toDetails(urls, row);
}

/** Converts a row to the dashboard's form. */
export const toDetails = (urls: Deps["urls"], row: TicketRow): TicketDetails => ({
  ...(toCard(row) satisfies Card),
  description: row.description,
  problem: row.problem,
  previousTicketId: row.previous_ticket_id,
  agentRepositoryId: row.agent_repository_id,
  ...toPlace(row),
  run: row.run_id === null ? null : toRun(row),
  url: `${urls.base}/tickets/${row.id}`,
});
