import type { EventSummary, ProblemSummary } from "@lodge/contract/dashboard/inbox";
import { type RawBuilder, sql } from "kysely";
import { narrowed, type RowOf } from "../../platform/database/statements.ts";

/** A row selected with `problemColumns`. */
export type ProblemRow = {
  id: string;
  app_id: string;
  kind: ProblemSummary["kind"];
  title: string;
  culprit: string | null;
  state: ProblemSummary["state"];
  resolved_version: string | null;
  muted_until: Date | null;
  reopened_at: Date | null;
  reopened_version: string | null;
  event_count: number;
  install_count: number;
  user_count: number;
  user_level: number;
  first_seen_at: Date;
  last_seen_at: Date;
  last_version: string | null;
  last_event_id: string;
  card_count: number;
  resolved_in_next: boolean;
  assignee_user_id: string | null;
  assignee_name: string | null;
};

/** The state of `problems as p` at a time: a problem that was muted until then is open. */
const stateAt = (now: Date): RawBuilder<string> =>
  sql`case when p.state = 'muted' and p.muted_until <= ${now} then 'open' else p.state end`;

/**
 * The condition that `problems as p` are in a state at a time. Compares `state` by itself, so that the planner can
 * estimate the number of rows.
 */
export const isInState = (state: ProblemSummary["state"], now: Date): RawBuilder<boolean> => {
  if (state === "open") return sql`(p.state = 'open' or p.state = 'muted' and p.muted_until <= ${now})`;
  return state === "muted"
    ? sql`p.state = 'muted' and (p.muted_until is null or p.muted_until > ${now})`
    : sql`p.state = ${state}`;
};

/** The columns of `problems as p` for `ProblemRow`. */
export const problemColumns = (now: Date): RawBuilder<unknown> => sql`
  p.id, p.app_id, p.kind, p.title, p.culprit, ${stateAt(now)} as state, p.resolved_version, p.muted_until, p.reopened_at,
  p.reopened_version, p.event_count, p.install_count, least(p.user_count, p.event_count) as user_count, p.user_level, p.first_seen_at, p.last_seen_at, p.last_version, p.last_event_id,
  (select count(*) from report_cards
    join tickets on tickets.organisation_id = report_cards.organisation_id and tickets.id = report_cards.ticket_id
    where report_cards.app_id = p.app_id and report_cards.problem_id = p.id and tickets.column_id is not null) as card_count, p.resolved_in_next, p.assignee_user_id,
  (select name from users where users.id = p.assignee_user_id) as assignee_name`;

/** Converts a row to the form of the contract. */
export const toProblem = (row: ProblemRow): ProblemSummary => ({
  id: row.id,
  appId: row.app_id,
  kind: row.kind,
  title: row.title,
  culprit: row.culprit,
  state: row.state,
  resolvedVersion: row.state === "resolved" ? row.resolved_version : null,
  resolvedInNext: row.state === "resolved" && row.resolved_in_next,
  mutedUntil: row.state === "muted" ? (row.muted_until?.toISOString() ?? null) : null,
  reopenedAt: row.reopened_at?.toISOString() ?? null,
  reopenedVersion: row.reopened_version,
  eventCount: row.event_count,
  installCount: row.install_count,
  userCount: row.user_count,
  isUserCountExact: row.user_level === 0,
  firstSeenAt: row.first_seen_at.toISOString(),
  lastSeenAt: row.last_seen_at.toISOString(),
  lastVersion: row.last_version,
  lastEventId: row.last_event_id,
  cardCount: row.card_count,
  assignee:
    row.assignee_user_id === null || row.assignee_name === null
      ? null
      : { id: row.assignee_user_id, name: row.assignee_name },
});

/** The types of `eventColumns`. */
export const eventRow = {
  event_id: "uuid",
  app_id: "uuid",
  problem_id: "uuid?",
  kind: narrowed<EventSummary["kind"]>("text"),
  title: "text",
  message: "text",
  environment: "text?",
  version: "text?",
  user: "text?",
  attachment_count: "integer",
  received_at: "timestamptz",
} as const;
export type EventRow = RowOf<typeof eventRow>;

/** The columns of `event_summaries as e`, as text and as SQL. */
export const eventColumnsText = `
  e.event_id, e.app_id, e.kind, e.title, e.message, e.environment, e.version,
  coalesce(e.user_name, e.user_email, e.user_id) as user, e.attachment_count::integer, e.received_at,
  (select problem_id from problem_hashes where problem_hashes.app_id = e.app_id and problem_hashes.hash = e.hash) as problem_id`;
export const eventColumns: RawBuilder<unknown> = sql.raw(eventColumnsText);

/** Converts a row to the form of the contract. */
export const toEventSummary = (row: EventRow): EventSummary => ({
  id: row.event_id,
  appId: row.app_id,
  problemId: row.problem_id,
  kind: row.kind,
  title: row.title,
  message: row.message,
  environment: row.environment,
  version: row.version,
  user: row.user,
  attachmentCount: row.attachment_count,
  receivedAt: row.received_at.toISOString(),
});
