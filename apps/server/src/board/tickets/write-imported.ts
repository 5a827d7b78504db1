import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { typeOf } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { checkedSql, newTicketColumns, ticketNamesSql, ticketValuesAt } from "./new-ticket-sql.ts";
import type { NewTicket } from "./write-ticket.ts";

/** A ticket of a file, validated with `CreateTicket` of the contract. */
export type ImportedTicket = Pick<NewTicket, "title" | "description" | "priority" | "startsAt" | "dueAt"> & {
  columnId: string;
  labels: string[];
  assigneeUserId?: string;
};

const ticketsAtOnce = 500;
const requestColumns = Object.entries<string>({ ...newTicketColumns, position: "text" })
  .map(([name, type]) => `${name} ${typeOf(type)}`)
  .join(", ");

/**
 * Writes the tickets of a person's import with their history, the first one at the top of its column, by the rules of
 * `writeTicket`. Nobody is notified; the caller creates the labels and makes sure that no webhooks are triggered.
 * Returns the ids in the same order. Throws `column_not_found` or `not_a_member` if one was deleted meanwhile.
 */
export async function writeImported(
  { urls }: Deps,
  tx: Transaction,
  { organisationId, userId, name }: Actor,
  tickets: readonly ImportedTicket[],
  { filename, at }: { filename: string; at: Date },
): Promise<string[]> {
  const positions = await freshPositions(tx, tickets.length);
  const details = JSON.stringify({ filename });
  const ids: string[] = [];
  for (let start = 0; start < tickets.length; start += ticketsAtOnce) {
    const requests = tickets.slice(start, start + ticketsAtOnce).map((ticket, index) => ({
      organisation_id: organisationId,
      user_id: userId,
      author_name: name,
      reaches_all: false,
      title: ticket.title,
      description: ticket.description ?? "",
      column_id: ticket.columnId,
      priority: ticket.priority ?? "none",
      assignee_user_id: ticket.assigneeUserId,
      starts_at: ticket.startsAt,
      due_at: ticket.dueAt,
      labels: ticket.labels,
      created_at: at,
      base_url: urls.base,
      position: positions[start + index],
    }));
    const { rows } = await sql<{ id: string; refusal: "column_not_found" | "not_a_member" | null }>`
      with request as materialized (
        select * from json_to_recordset(${JSON.stringify(requests)}::json) as asked (${sql.raw(requestColumns)})
      ), ${sql.raw(checkedSql("request"))}, ticket as (
        insert into tickets (${sql.raw(ticketNamesSql)})
        select ${sql.raw(ticketValuesAt("position"))} from checked where refusal is null
      ), activity as (
        insert into ticket_activities (organisation_id, ticket_id, kind, actor_user_id, actor_name, details, created_at)
        select organisation_id, id, 'ticket.filed', user_id, author_name, ${details}::jsonb, created_at
        from checked where refusal is null
      )
      select id, refusal from checked order by position desc`.execute(tx);
    for (const { id, refusal } of rows) {
      if (refusal) throw new Refusal(refusal);
      ids.push(id);
    }
  }
  return ids;
}

/** Returns `count` keys above the existing ones, the greatest first. */
async function freshPositions(tx: Transaction, count: number): Promise<string[]> {
  const { rows } = await sql<{ position: string }>`
    select replace(uuidv7()::text, '-', '') as position from generate_series(1, ${count})`.execute(tx);
  return rows
    .map(({ position }) => position)
    .sort()
    .reverse();
}
