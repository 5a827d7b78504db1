import { tellAssigneesSql } from "../../people/notifications/tell-people.ts";
import { narrowed } from "../../platform/database/statements.ts";
import { queueRunSql } from "../agents/queue-run.ts";
import { brokenRulesSql, type RuleRefusal } from "./check-rules.ts";
import { foundColumns, type PlaceRefusal, placeColumns, placeRefusalsSql, placeSql } from "./place-sql.ts";

/** The parameters of the statements that file tickets. */
export const newTicketColumns = {
  ...placeColumns,
  user_id: "uuid?",
  author_name: "text",
  app_id: "uuid?",
  event_id: "uuid?",
  delivery_id: "uuid?",
  title: "text",
  description: "text",
  priority: "text",
  assignee_user_id: "uuid?",
  agent_repository_id: "uuid?",
  starts_at: "date?",
  due_at: "date?",
  labels: "text[]?",
  created_at: "timestamptz",
  idempotency_key: "text?",
  request_sha256: "bytea?",
  person_key: "text?",
  base_url: "text",
} as const;

/** The columns that they return: the reason nothing was filed, or the ticket's place and the response to a token. */
export const writtenColumns = {
  refusal: narrowed<PlaceRefusal | RuleRefusal | null>("text?"),
  id: "uuid?",
  board_id: "uuid?",
  column_id: "uuid?",
  body: "text?",
  run_id: "uuid?",
} as const;

/**
 * The CTEs `placed` and `checked`: each request with its own id, its place, the reason it is refused, and the columns
 * in `also`.
 */
export const checkedSql = (request: string, also = "") => `placed as materialized (
    select request.*, uuidv7() as id, ${foundColumns}
    from ${request}${placeSql}
  ), checked as materialized (
    select placed.*,
      case${placeRefusalsSql}${brokenRulesSql("placed", "found_project_id")}
      end as refusal${also}
    from placed
  )`;

/** The response body for a token (interface section 2.3), from columns of these names and those in `also`. */
export const bodySql = (
  {
    id,
    title,
    project,
    board,
    column,
    createdAt,
    baseUrl,
  }: Record<"id" | "title" | "project" | "board" | "column" | "createdAt" | "baseUrl", string>,
  also = "",
) => `(
      select row_to_json(fields)::text from (select
        ${id} as "id", ${title} as "title", ${project} as "projectId", ${board} as "boardId", ${column} as "columnId",
        to_char(${createdAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
        ${baseUrl} || '/tickets/' || ${id} as "url"${also}) fields
    )`;

/** The names and the values of the columns of a ticket as `checked` has it. */
export const ticketNamesSql = `organisation_id, id, column_id, position, title, description, priority, assignee_user_id,
      agent_repository_id, starts_at, due_at, labels, author_token_id, author_user_id, author_name, app_id, event_id,
      delivery_id, created_at, done_at, idempotency_key`;
export const ticketValuesAt = (
  position: string,
) => `organisation_id, id, found_column_id, ${position}, title, description, priority,
      assignee_user_id, agent_repository_id, starts_at, due_at, coalesce(labels, '{}'), token_id, user_id, author_name,
      app_id, event_id, delivery_id, created_at, case when is_done then created_at end, person_key`;
export const ticketValuesSql = ticketValuesAt("replace(id::text, '-', '')");

/** Whether the delivery of a request of `checked` has no card yet. */
export const undeliveredSql = `(delivery_id is null or not exists (
        select from tickets
        where tickets.organisation_id = checked.organisation_id and tickets.delivery_id = checked.delivery_id))`;

/** The CTE that creates the missing labels of the requests of `checked`. */
export const labelledSql = `labelled as (
    insert into labels (organisation_id, name, created_at)
    select distinct on (organisation_id, label) organisation_id, label, created_at from checked, unnest(labels) label
    where refusal is null order by organisation_id, label
    on conflict do nothing
  )`;

/** The origin that the history records for a ticket filed for an app. */
export const originSql = `case when event_id is null then '{}'::jsonb
        else jsonb_build_object('origin', 'report', 'appId', app_id, 'eventId', event_id) end`;

/** The CTEs that assign those of `filed` for the agent to it, as `run`, and notify other assignees. */
export const assignedSql = `assigned as materialized (
    select filed.organisation_id, filed.id, token_id, user_id, author_name, event_id is not null as is_untrusted,
      filed.created_at as at
    from filed join organisations on organisations.id = filed.organisation_id and agent_user_id = assignee_user_id
    where assignee_user_id is not null
  ), run as (${queueRunSql("assigned")}
  ), told as (${tellAssigneesSql("filed")}
  )`;
