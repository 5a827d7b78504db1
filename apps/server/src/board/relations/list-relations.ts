import type { RelatedCard, RelationList } from "@lodge/contract/dashboard/relations";
import type { RelationKind } from "@lodge/contract/dashboard/tickets";
import { type RawBuilder, sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { withNumbers } from "../tickets/number-tickets.ts";
import { requireTicket } from "../tickets/require-ticket.ts";

/** The columns of `RelatedCard` from `tickets as t` and `relatedJoins`. */
export const relatedColumns: RawBuilder<unknown> = sql`
  t.id, upper(number_project.slug) || '-' || numbered.number as number, t.title, t.done_at is not null as done,
  t.archived_at is not null as archived`;

/** The relations of a ticket of the organisation, by kind, the oldest first. Throws `ticket_not_found`. */
export async function listRelations({ db }: Deps, organisationId: string, ticketId: string): Promise<RelationList> {
  await requireTicket(db, organisationId, ticketId);
  const { rows } = await sql<RelatedCard & { kind: RelationKind }>`
    select ${relatedColumns}, case when r.ticket_id = t.id then r.inverse else r.direct end as kind
    from (
      select ticket_id, other_id, created_at,
        case kind when 'duplicate' then 'duplicateOf' when 'blocks' then 'blocks' else 'relatesTo' end as direct,
        case kind when 'duplicate' then 'hasDuplicate' when 'blocks' then 'blockedBy' else 'relatesTo' end as inverse
      from ticket_relations
      where organisation_id = ${organisationId} and (ticket_id = ${ticketId} or other_id = ${ticketId})) r
    join tickets t on t.organisation_id = ${organisationId} and t.column_id is not null
      and t.id = case when r.ticket_id = ${ticketId} then r.other_id else r.ticket_id end
    left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
    left join projects number_project on number_project.organisation_id = numbered.organisation_id
      and number_project.id = numbered.project_id
    order by array_position('{duplicateOf,hasDuplicate,blockedBy,blocks,relatesTo}'::text[],
      case when r.ticket_id = t.id then r.inverse else r.direct end), r.created_at, t.id`.execute(db);
  const numbered = await withNumbers(db, organisationId, rows);
  return { relations: numbered.map(({ kind, ...card }) => ({ kind, card })) };
}
