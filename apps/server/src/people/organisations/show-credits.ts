import type { CreditQuery, Credits } from "@lodge/contract/dashboard/runs";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";

const pageEntries = 50;

/** The credits of the organisation with their history, the latest first. */
export async function showCredits({ db }: Deps, { organisationId }: Actor, { cursor }: CreditQuery): Promise<Credits> {
  const { credits } = await db
    .selectFrom("organisations")
    .select("credits")
    .where("id", "=", organisationId)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom("credit_entries")
    .select(["id", "kind", "amount", "run_id", "actor_name", "note", "created_at"])
    .where("organisation_id", "=", organisationId)
    .$if(cursor !== undefined, (query) => query.where("id", "<", cursor ?? ""))
    .orderBy("id", "desc")
    .limit(pageEntries + 1)
    .execute();
  const entries = rows.slice(0, pageEntries).map((row) => ({
    id: row.id,
    kind: row.kind as Credits["entries"][number]["kind"],
    amount: row.amount,
    runId: row.run_id,
    actor: row.actor_name,
    note: row.note,
    createdAt: row.created_at.toISOString(),
  }));
  return { credits, entries, nextCursor: rows.length > pageEntries ? (entries.at(-1)?.id ?? null) : null };
}
