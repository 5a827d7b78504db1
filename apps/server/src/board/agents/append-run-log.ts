import { runLogBytesMax, runLogLengthMax } from "@lodge/contract/limits";
import type { LogEntry } from "@lodge/contract/runners";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Runner } from "./authenticate-runner.ts";
import { type HeldRun, isHeldBy } from "./held-run.ts";

/**
 * Appends to a run's log from an offset on, skips entries that it already has, and returns the offset of the next
 * entry. Throws `lease_lost`, `log_gap` or `too_many`.
 */
export async function appendRunLog(
  deps: Deps,
  runner: Runner,
  held: HeldRun,
  { offset, entries }: { offset: number; entries: readonly LogEntry[] },
): Promise<number> {
  const grown = await deps.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string; ticketId: string; length: number; bytes: number }>`
      select id, ticket_id as "ticketId", log_length as length, log_bytes as bytes from agent_runs
      where ${isHeldBy(runner, held)} for no key update`.execute(tx);
    const [run] = rows;
    if (!run) throw new Refusal("lease_lost");
    if (offset > run.length) throw new Refusal("log_gap", { length: run.length });
    const fresh = entries.slice(run.length - offset);
    if (fresh.length === 0) return { length: run.length };
    const length = run.length + fresh.length;
    const bytes = fresh.reduce((sum, { text }) => sum + Buffer.byteLength(text), run.bytes);
    if (length > runLogLengthMax || bytes > runLogBytesMax) throw new Refusal("too_many");
    await tx
      .insertInto("run_log_entries")
      .values(
        fresh.map(({ kind, text, at }, index) => ({
          organisation_id: runner.organisationId,
          run_id: run.id,
          position: run.length + index,
          kind,
          text,
          at,
        })),
      )
      .execute();
    await tx
      .updateTable("agent_runs")
      .set({ log_length: length, log_bytes: bytes })
      .where("organisation_id", "=", runner.organisationId)
      .where("id", "=", run.id)
      .execute();
    return { run, length };
  });
  if (grown.run)
    deps.announce(runner.organisationId, { kind: "run.logged", runId: grown.run.id, ticketId: grown.run.ticketId });
  return grown.length;
}
