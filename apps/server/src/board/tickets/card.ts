import type { Card } from "@lodge/contract/dashboard/boards";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { shownLabelsSql } from "./shown-labels.ts";

/** A card as `cardColumns` selects it. */
export type CardRow = {
  id: string;
  column_id: string;
  position: string;
  number: string | null;
  title: string;
  priority: Card["priority"];
  assignee_user_id: string | null;
  assignee_name: string | null;
  assignee_is_agent: boolean;
  origin: "report" | "token" | "person";
  author_id: string | null;
  author_name: string;
  labels: string[];
  occurrences: number;
  occurred_at: Date | null;
  starts_at: string | null;
  due_at: string | null;
  comment_count: number;
  task_count: number;
  done_task_count: number;
  report: Card["report"];
  created_at: Date;
  updated_at: Date;
  done_at: Date | null;
  archived_at: Date | null;
};

/** What to select for a card of `tickets as t`, beside `cardJoins`. */
export const cardColumns: RawBuilder<unknown> = sql`
  t.id, t.column_id, t.position, upper(number_project.slug) || '-' || numbered.number as number, t.title, t.priority, t.assignee_user_id, t.origin,
  coalesce(t.author_token_id, t.author_user_id, t.app_id) as author_id, t.author_name, ${shownLabelsSql} as labels,
  t.occurrences, t.occurred_at, t.starts_at, t.due_at, t.task_count, t.done_task_count, t.created_at, t.updated_at, t.done_at, t.archived_at,
  assignee.name as assignee_name, t.assignee_user_id is not distinct from o.agent_user_id as assignee_is_agent,
  (select count(*) from comments where comments.organisation_id = t.organisation_id and ticket_id = t.id) as comment_count,
  coalesce((
    select json_build_object('problemId', about.problem_id, 'eventCount', coalesce(p.event_count, 1),
      'installCount', coalesce(p.install_count, 0), 'userCount', coalesce(least(p.user_count, p.event_count), 0),
      'isUserCountExact', coalesce(p.user_level, 0) = 0)
    from report_cards about left join problems p on p.app_id = about.app_id and p.id = about.problem_id
    where about.organisation_id = t.organisation_id and about.ticket_id = t.id limit 1),
    case when t.event_id is not null then '{"problemId": null, "eventCount": 1, "installCount": 0, "userCount": 0, "isUserCountExact": true}'::json end) as report`;

/** The joins that `cardColumns` needs. */
export const cardJoins: RawBuilder<unknown> = sql`
  join organisations o on o.id = t.organisation_id
  left join users assignee on assignee.id = t.assignee_user_id
  left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
  left join projects number_project on number_project.organisation_id = numbered.organisation_id
    and number_project.id = numbered.project_id`;

/** Converts a row to the contract's form. */
export const toCard = (row: CardRow): Card => ({
  id: row.id,
  columnId: row.column_id,
  position: row.position,
  number: row.number,
  title: row.title,
  priority: row.priority,
  assignee:
    row.assignee_user_id === null
      ? null
      : { id: row.assignee_user_id, name: row.assignee_name ?? "", isAgent: row.assignee_is_agent },
  author: { kind: row.origin === "report" ? "app" : row.origin, id: row.author_id, name: row.author_name },
  labels: row.labels,
  occurrences: row.occurrences,
  lastOccurredAt: row.occurred_at?.toISOString() ?? null,
  startsAt: row.starts_at,
  dueAt: row.due_at,
  commentCount: row.comment_count,
  tasks: row.task_count === 0 ? null : { done: row.done_task_count, total: row.task_count },
  report: row.report,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  doneAt: row.done_at?.toISOString() ?? null,
  archivedAt: row.archived_at?.toISOString() ?? null,
});

/** The cards of these tickets of the organisation, in the order of the ids. */
export async function readCards(db: Database, organisationId: string, ticketIds: string[]): Promise<Card[]> {
  const { rows } = await sql<CardRow>`
    select ${cardColumns} from tickets t ${cardJoins}
    where t.organisation_id = ${organisationId} and t.id = any(${ticketIds}::uuid[])
      and t.column_id is not null
    order by array_position(${ticketIds}::uuid[], t.id)`.execute(db);
  return rows.map(toCard);
}
