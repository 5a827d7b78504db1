import { trashDays } from "@lodge/contract/limits";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { auditTickets } from "./delete-tickets.ts";

const batchSize = 500;

/** Permanently deletes a ticket in the trash, with its comments, history and runs. Throws `ticket_not_found`. */
export async function purgeTicket(deps: Deps, actor: Actor, ticketId: string): Promise<void> {
  const purged = await purge(deps, actor, sql`tickets.id = ${ticketId}`);
  if (purged === 0) throw new Refusal("ticket_not_found");
}

/** Permanently deletes all tickets that are in the trash of a project. Throws `project_not_found`. */
export async function emptyTrash(deps: Deps, actor: Actor, projectId: string): Promise<void> {
  const project = await deps.db
    .selectFrom("projects")
    .select("id")
    .where("organisation_id", "=", actor.organisationId)
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (!project) throw new Refusal("project_not_found");
  const before = deps.clock.now();
  const which = sql`tickets.deleted_project_id = ${project.id} and tickets.deleted_at <= ${before}`;
  while ((await purge(deps, actor, which)) === batchSize);
}

/**
 * Permanently deletes at most 500 tickets in the trash that meet a condition, with an audit log entry for each. Returns
 * how many.
 */
async function purge(deps: Deps, actor: Actor, which: RawBuilder<unknown>): Promise<number> {
  const { organisationId } = actor;
  return deps.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select id from tickets
      where organisation_id = ${organisationId} and deleted_project_id is not null and ${which}
      order by id limit ${batchSize} for update`.execute(tx);
    const ids = rows.map(({ id }) => id);
    await auditTickets(tx, actor, "ticket.purged", deps.clock.now(), sql`id = any(${ids}::uuid[])`);
    await sql`delete from tickets where organisation_id = ${organisationId} and id = any(${ids}::uuid[])`.execute(tx);
    return ids.length;
  });
}

/**
 * Permanently deletes the tickets that have been in a trash for 30 days. Returns how many. Can be stopped at any point and
 * run again; the worker runs it every day.
 */
export async function sweepTrash({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const before = new Date(clock.now().getTime() - trashDays * 86_400_000);
  for (let deleted = 0; ; ) {
    const { numAffectedRows } = await sql`
      delete from tickets using (
        select organisation_id, id from tickets
        where deleted_project_id is not null and deleted_at < ${before}
        order by id limit ${batchSize} for update skip locked) old
      where tickets.organisation_id = old.organisation_id and tickets.id = old.id`.execute(db);
    const count = Number(numAffectedRows ?? 0);
    deleted += count;
    if (count < batchSize) return deleted;
  }
}
