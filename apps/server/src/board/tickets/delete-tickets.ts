import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAuditSql } from "../../people/audit/record-audit.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { cancelOpenRun } from "../agents/end-run.ts";
import { openStatesSql } from "../agents/queue-run.ts";
import { recordActivity } from "./record-activity.ts";
import { toTrashSql } from "./to-trash.ts";

/**
 * Moves tickets to the trash of their project, all or none, and records in the audit log who did; cancels their open
 * runs. Throws `ticket_not_found`, or `forbidden` for a member who did not file all of them.
 */
export async function deleteTickets(deps: Deps, actor: Actor, ticketIds: string[]): Promise<void> {
  const { organisationId } = actor;
  const ids = [...new Set(ticketIds.map((id) => id.toLowerCase()))];
  const at = deps.clock.now();
  const { deleted, runs } = await deps.db.transaction().execute(async (tx) => {
    const deleted = await lockDeletable(tx, actor, ids);
    const runs = await cancelRuns(deps, tx, actor, ids);
    await toTrashSql(organisationId, ids, at, actor.name).execute(tx);
    for (const id of ids) await recordActivity(deps, tx, actor, id, { kind: "ticket.deleted" });
    await auditTickets(tx, actor, "ticket.deleted", at, sql`tickets.id = any(${ids}::uuid[])`);
    return { deleted, runs };
  });
  for (const { id: ticketId, boardId, columnId } of deleted) {
    deps.announce(organisationId, { kind: "ticket.deleted", ticketId, boardId, columnId });
  }
  for (const run of runs) deps.announce(organisationId, { kind: "run.changed", ...run });
}

async function lockDeletable(tx: Transaction, { organisationId, userId, role }: Actor, ids: string[]) {
  // A separate statement: one that waits for a lock joins the row with data that it read before.
  await sql`
    select from tickets where organisation_id = ${organisationId} and id = any(${ids}::uuid[])
    order by id for update`.execute(tx);
  const { rows } = await sql<{ id: string; columnId: string; boardId: string; isOwn: boolean }>`
    select t.id, t.column_id as "columnId", columns.board_id as "boardId",
      t.author_user_id is not distinct from ${userId}::uuid as "isOwn"
    from tickets t join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
    where t.organisation_id = ${organisationId} and t.id = any(${ids}::uuid[])`.execute(tx);
  if (rows.length < ids.length) throw new Refusal("ticket_not_found");
  if (role === "member" && !rows.every(({ isOwn }) => isOwn)) throw new Refusal("forbidden");
  return rows;
}

async function cancelRuns({ clock }: Deps, tx: Transaction, { organisationId, userId, name }: Actor, ids: string[]) {
  const { rows } = await sql<{ id: string; ticketId: string }>`
    select id, ticket_id as "ticketId" from agent_runs
    where organisation_id = ${organisationId} and ticket_id = any(${ids}::uuid[])
      and state in ${sql.raw(openStatesSql)} order by id`.execute(tx);
  for (const { ticketId } of rows) {
    await cancelOpenRun(tx, { organisationId, ticketId, by: { userId, name }, at: clock.now() });
  }
  return rows.map(({ id: runId, ticketId }) => ({ runId, ticketId }));
}

/** Writes an entry of the audit log for each ticket that meets a condition on `tickets`. */
export async function auditTickets(
  tx: Transaction,
  { organisationId, userId, name }: Actor,
  kind: "ticket.deleted" | "ticket.purged",
  at: Date,
  which: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with who as (
      select ${kind}::text as kind, ${userId}::uuid as id, ${name}::text as name, ${at}::timestamptz as at
    ), gone as (
      select organisation_id, id, title from tickets where organisation_id = ${organisationId} and ${which}
    )
    ${sql.raw(
      recordAuditSql(`
      select organisation_id, who.kind,
        jsonb_build_object('ticketId', gone.id, 'title', title, 'userId', who.id, 'userName', who.name), who.at
      from gone, who`),
    )}`.execute(tx);
}
