import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { dropLabels, relabelTickets } from "../tickets/keep-label.ts";

/**
 * Rewrites the tickets whose labels were renamed, merged or deleted, and then deletes the record of the change. Can be
 * stopped at any point and run again; the worker runs it every minute.
 */
export async function finishLabelChanges(deps: Pick<Deps, "db" | "log">): Promise<void> {
  const { db } = deps;
  const { rows } = await sql<{ id: string; names: string[] }>`
    select organisation_id as id, array_agg(name) as names from label_changes group by organisation_id`.execute(db);
  await eachByItself(deps, "changing labels", rows, async ({ id, names }) => {
    if (!(await relabelTickets(db, id, names))) return; // its tickets were locked: retried in a minute
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom("label_changes").where("organisation_id", "=", id).where("name", "in", names).execute();
      await dropLabels(tx, id, names);
    });
  });
}
