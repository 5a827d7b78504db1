import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { toTrashSql } from "./to-trash.ts";

/** The result: the number of tickets moved to the trash, their boards, and the tickets that were kept. */
type Trashed = { deletedCount: number; boardIds: string[]; kept: { id: string; title: string }[] };

const ticketsAtOnce = 1_000;

/**
 * Moves tickets to the trash of their project if their history has only their filing and what Lodge did by itself.
 * Others are kept; those already in the trash are skipped. The caller writes the audit log and makes sure that no
 * webhooks are triggered.
 */
export async function trashUnchanged(
  { clock }: Deps,
  tx: Transaction,
  { organisationId, userId, name }: Actor,
  ticketIds: readonly string[],
): Promise<Trashed> {
  const ids = [...ticketIds].sort();
  const found: Trashed = { deletedCount: 0, boardIds: [], kept: [] };
  const boardIds = new Set<string>();
  for (let start = 0; start < ids.length; start += ticketsAtOnce) {
    const some = ids.slice(start, start + ticketsAtOnce);
    // A separate statement: one that waits for a lock joins the row with data that it read before.
    await sql`
      select from tickets where organisation_id = ${organisationId} and id = any(${some}::uuid[])
      order by id for update`.execute(tx);
    const { rows } = await sql<{ id: string; title: string; changed: boolean; boardId: string }>`
      select t.id, t.title, columns.board_id as "boardId", exists (
        select from ticket_activities a
        where a.organisation_id = t.organisation_id and a.ticket_id = t.id and a.kind <> 'ticket.filed'
          and (a.actor_user_id is not null or a.actor_token_id is not null)) as changed
      from tickets t join columns on columns.organisation_id = t.organisation_id and columns.id = t.column_id
      where t.organisation_id = ${organisationId} and t.id = any(${some}::uuid[])
      order by t.id`.execute(tx);
    const unchanged = rows.filter(({ changed }) => !changed);
    for (const { boardId } of unchanged) boardIds.add(boardId);
    found.deletedCount += unchanged.length;
    found.kept.push(...rows.filter(({ changed }) => changed).map(({ id, title }) => ({ id, title })));
    await sql`
      with deleted as (
        ${toTrashSql(
          organisationId,
          unchanged.map(({ id }) => id),
          clock.now(),
          name,
        )}
        returning tickets.id
      )
      insert into ticket_activities (organisation_id, ticket_id, kind, actor_user_id, actor_name, details, created_at)
      select ${organisationId}, id, 'ticket.deleted', ${userId}, ${name}, '{}', ${clock.now()} from deleted`.execute(
      tx,
    );
  }
  return { ...found, boardIds: [...boardIds] };
}
