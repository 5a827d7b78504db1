import type { RunLog, RunLogQuery } from "@lodge/contract/dashboard/runs";
import type { LogKind } from "@lodge/contract/runners";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

const pageEntries = 500;

/** A part of the log of a run, at most 500 entries. Throws `run_not_found`. */
export async function readRunLog(
  { db }: Deps,
  { organisationId }: Actor,
  runId: string,
  { after = "0" }: RunLogQuery,
): Promise<RunLog> {
  const run = await findRun(db, organisationId, runId);
  const rows = await db
    .selectFrom("run_log_entries")
    .select(["position", "kind", "text", "at"])
    .where("organisation_id", "=", organisationId)
    .where("run_id", "=", run.id)
    .where("position", ">=", Number(after))
    .orderBy("position")
    .limit(pageEntries)
    .execute();
  const entries = rows.map(({ position, kind, text, at }) => ({
    offset: position,
    kind: kind as LogKind,
    text,
    at: at.toISOString(),
  }));
  return { entries, next: entries.length > 0 ? (entries.at(-1)?.offset ?? 0) + 1 : Number(after) };
}

/** The patch of a run that could not push its change. Throws `run_not_found`. */
export async function readRunPatch({ db }: Deps, { organisationId }: Actor, runId: string): Promise<string> {
  const { patch } = await findRun(db, organisationId, runId);
  if (!patch) throw new Refusal("run_not_found");
  return patch;
}

/** A run whose ticket is not in the trash. */
async function findRun(db: Database, organisationId: string, runId: string) {
  const run = await db
    .selectFrom("agent_runs")
    .innerJoin("tickets", (join) =>
      join
        .onRef("tickets.organisation_id", "=", "agent_runs.organisation_id")
        .onRef("tickets.id", "=", "agent_runs.ticket_id"),
    )
    .select(["agent_runs.id", "patch"])
    .where("agent_runs.organisation_id", "=", organisationId)
    .where("agent_runs.id", "=", runId)
    .where("tickets.column_id", "is not", null)
    .executeTakeFirst();
  if (!run) throw new Refusal("run_not_found");
  return run;
}
