import { sql } from "kysely";
import { readTicketRows } from "../../board/tickets/read-ticket.ts";
import { toTicket } from "../../board/tickets/show-ticket.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { isOutage } from "../../platform/outage.ts";
import { type Message, messagesOfChanges, type NotedChange } from "./messages-of-change.ts";

const batchMax = 100;

/** A ticket that a transaction has changed. */
type Changed = { organisationId: string; ticketId: string; transactionId: string };
type Noted = NotedChange & { actorKind: string | null; actorName: string | null; createdAt: Date };

/**
 * Creates the messages of recorded changes for the webhooks that chose them: for each ticket and transaction
 * separately, in order. Changes that fail are logged and skipped, so that they do not hold up others.
 */
export async function makeMessages(deps: Deps): Promise<void> {
  for (;;) {
    const { rows } = await sql<Changed>`
      select organisation_id as "organisationId", ticket_id as "ticketId", transaction_id::text as "transactionId"
      from ticket_changes group by organisation_id, ticket_id, transaction_id order by min(id::text)
      limit ${batchMax}`.execute(deps.db);
    await eachByItself(deps, "telling webhooks of changed tickets", rows, (changed) => tell(deps, changed));
    if (rows.length < batchMax) return;
  }
}

async function tell(deps: Deps, changed: Changed): Promise<void> {
  await deps.db
    .transaction()
    .execute(async (tx) => {
      const noted = await take(tx, changed);
      if (noted.length > 0) await queueMessages(deps, tx, changed, noted);
    })
    .catch(async (error: unknown) => {
      if (!isOutage(error)) await take(deps.db, changed); // it would fail again
      throw error;
    });
}

/** Of several workers, one gets them. */
async function take(db: Database, { organisationId, ticketId, transactionId }: Changed) {
  const { rows } = await sql<Noted & { id: string }>`
    delete from ticket_changes
    where organisation_id = ${organisationId} and ticket_id = ${ticketId} and transaction_id = ${transactionId}::xid8
    returning id, kind, changes, comment_id as "commentId", actor_kind as "actorKind", actor_name as "actorName",
      created_at as "createdAt"`.execute(db);
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function queueMessages(deps: Deps, tx: Transaction, { organisationId, ticketId }: Changed, noted: Noted[]) {
  const [row] = await readTicketRows(tx, organisationId, sql`t.id = ${ticketId}`);
  if (!row) return;
  const ticket = toTicket(deps, row);
  const by = noted.find(({ actorName }) => actorName !== null);
  const actor = { kind: by?.actorKind ?? "lodge", name: by?.actorName ?? "Lodge" };
  const at = (by ?? noted[0])?.createdAt ?? deps.clock.now();
  for (const message of messagesOfChanges(noted)) {
    const { type, changes } = message;
    const comment = await commentOf(tx, organisationId, message);
    if (comment === null) continue; // it was deleted meanwhile
    const data = { ticket, actor, changes, ...(comment && { comment: { ...comment, url: ticket.url } }) };
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
    await sql`
      insert into hook_deliveries (organisation_id, hook_id, ticket_id, type, body, created_at)
      select organisation_id, id, ${ticketId}, ${type}, ${body}, ${at} from organisation_hooks
      where organisation_id = ${organisationId} and enabled and ${type} = any(ticket_types)
        and (project_ids is null or ${ticket.projectId} = any(project_ids))`.execute(tx);
  }
}

/** The comment of a message in the API's form; undefined if the message has none, null if it was deleted. */
async function commentOf(tx: Transaction, organisationId: string, { commentId }: Message) {
  if (commentId === undefined) return undefined;
  const { rows } = await sql<{ id: string; ticketId: string; text: string; kind: string; name: string; at: Date }>`
    select comments.id, ticket_id as "ticketId", text, author_name as name, comments.created_at as at,
      case when author_user_id is null then 'token' when author_user_id = agent_user_id then 'agent' else 'person' end as kind
    from comments join organisations on organisations.id = comments.organisation_id
    where comments.organisation_id = ${organisationId} and comments.id = ${commentId}`.execute(tx);
  const [comment] = rows;
  if (!comment) return null;
  const { id, ticketId, text, kind, name, at } = comment;
  return { id, ticketId, text, author: { kind, name }, createdAt: at.toISOString() };
}
