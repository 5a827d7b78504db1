import type { Runner, RunnerList } from "@lodge/contract/dashboard/runs";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";

/** The runners of an organisation, by name. */
export async function listRunners({ db }: Deps, { organisationId }: Actor): Promise<RunnerList> {
  const rows = await selectRunners(db, organisationId).orderBy("name").execute();
  return { runners: rows.map(toRunner) };
}

/** A runner in the contract's form. */
export async function showRunner(db: Database, organisationId: string, runnerId: string): Promise<Runner> {
  return toRunner(await selectRunners(db, organisationId).where("id", "=", runnerId).executeTakeFirstOrThrow());
}

const selectRunners = (db: Database, organisationId: string) =>
  db
    .selectFrom("runners")
    .select(["id", "name", "created_at", "last_seen_at"])
    .select(({ selectFrom, fn }) =>
      selectFrom("agent_runs")
        .select(fn.countAll<number>().as("count"))
        .whereRef("agent_runs.organisation_id", "=", "runners.organisation_id")
        .whereRef("agent_runs.runner_id", "=", "runners.id")
        .where("lease_expires_at", "is not", null)
        .as("run_count"),
    )
    .where("organisation_id", "=", organisationId);

type Row = Awaited<ReturnType<ReturnType<typeof selectRunners>["executeTakeFirstOrThrow"]>>;

const toRunner = (row: Row): Runner => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  runCount: Number(row.run_count),
});
