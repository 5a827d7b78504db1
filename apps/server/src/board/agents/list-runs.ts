import type { ListedRun, RunPage, RunQuery } from "@lodge/contract/dashboard/runs";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { type RunRow, runColumns, runJoins, toRun } from "./run-columns.ts";

const pageRuns = 50;

/** The runs of the organisation that match a query, the latest first. */
export async function listRuns(
  { db }: Deps,
  { organisationId }: Actor,
  { state, ticket, cursor }: RunQuery,
): Promise<RunPage> {
  const found = await select(
    db,
    organisationId,
    sql`(${state ?? null}::text is null or run.state = ${state ?? null})
      and (${ticket ?? null}::uuid is null or run.ticket_id = ${ticket ?? null})
      and (${cursor ?? null}::uuid is null or run.id < ${cursor ?? null})`,
    pageRuns + 1,
  );
  const runs = found.slice(0, pageRuns);
  return { runs, nextCursor: found.length > pageRuns ? (runs.at(-1)?.id ?? null) : null };
}

/** A run of the organisation. Throws `run_not_found`. */
export async function showRun(db: Database, organisationId: string, runId: string): Promise<ListedRun> {
  const [run] = await select(db, organisationId, sql`run.id = ${runId}`, 1);
  if (!run) throw new Refusal("run_not_found");
  return run;
}

type Row = RunRow & { ticket_id: string; title: string; number: string | null };

async function select(db: Database, organisationId: string, which: RawBuilder<unknown>, limit: number) {
  const { rows } = await sql<Row>`
    select ${runColumns}, run.ticket_id, tickets.title, upper(projects.slug) || '-' || numbered.number as number
    from agent_runs run ${runJoins}
    join tickets on tickets.organisation_id = run.organisation_id and tickets.id = run.ticket_id
      and tickets.column_id is not null
    left join ticket_numbers numbered
      on numbered.organisation_id = run.organisation_id and numbered.ticket_id = run.ticket_id
    left join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
    where run.organisation_id = ${organisationId} and ${which}
    order by run.id desc limit ${limit}`.execute(db);
  return rows.map((row) => ({
    ...toRun(row),
    ticket: { id: row.ticket_id, title: row.title, number: row.number },
  }));
}
