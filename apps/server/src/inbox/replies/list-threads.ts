import type { ThreadFilter, ThreadPage, ThreadSummary } from "@lodge/contract/dashboard/threads";
import { repliesPageMax } from "@lodge/contract/replies";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { readTimeCursor, writeTimeCursor } from "../../platform/time-cursor.ts";

/** The threads of an organisation, the latest message first. Throws `invalid_input` for a wrong cursor. */
export async function listThreads(
  { db }: Deps,
  actor: Actor,
  { state, appId, eventId, cursor }: ThreadFilter,
): Promise<ThreadPage> {
  const { at, id } = cursor === undefined ? {} : readTimeCursor(cursor);
  const rows = await selectThreads(
    db,
    actor,
    sql`${eventId ? sql`threads.event_id = ${eventId}` : sql`threads.message_count > 0`}
      and ${appId ? sql`threads.app_id = ${appId}` : sql`true`}
      and ${state ? conditionOf[state] : sql`true`}
      and ${id ? sql`(threads.last_message_at, threads.id) < (${at}::timestamptz, ${id}::uuid)` : sql`true`}
      order by threads.last_message_at desc, threads.id desc limit ${sql.lit(repliesPageMax + 1)}`,
  );
  const threads = rows.slice(0, repliesPageMax);
  const last = threads.at(-1);
  return {
    threads,
    nextCursor: rows.length > threads.length && last ? writeTimeCursor(last.lastMessageAt, last.id) : null,
  };
}

/** The condition that a thread is open and the reporter wrote last. */
export const waitingSql: RawBuilder<boolean> = sql`threads.message_count > threads.team_number and threads.closed_at is null`;

/** The condition that a thread is waiting and has messages that the member has not read (`thread_reads as known`). */
export const unreadSql: RawBuilder<boolean> = sql`${waitingSql} and threads.message_count > coalesce(known.number, 0)`;

/** The join that `unreadSql` needs. */
export const joinReadsSql = (userId: string): RawBuilder<unknown> => sql`
  left join thread_reads known
    on known.app_id = threads.app_id and known.thread_id = threads.id and known.user_id = ${userId}`;

const conditionOf: Record<NonNullable<ThreadFilter["state"]>, RawBuilder<boolean>> = {
  open: sql`threads.closed_at is null`,
  closed: sql`threads.closed_at is not null`,
  waiting: waitingSql,
  unread: unreadSql,
};

type Row = Omit<ThreadSummary, "app" | "lastMessage" | "lastMessageAt" | "closed" | "createdAt"> & {
  appId: string;
  appName: string;
  lastMessageAt: Date | null;
  lastAuthor: "reporter" | "team" | null;
  lastAuthorName: string | null;
  lastText: string | null;
  closedAt: Date | null;
  closedByUserId: string | null;
  closedByName: string | null;
  createdAt: Date;
};

/**
 * The threads of a member's organisation, in the form that this member sees. `where` is the rest of the statement: a
 * condition on `threads`, order and limit.
 */
export async function selectThreads(
  db: Database,
  { organisationId, userId }: Pick<Actor, "organisationId" | "userId">,
  where: RawBuilder<unknown>,
): Promise<ThreadSummary[]> {
  const { rows } = await sql<Row>`
    select threads.id, threads.event_id as "eventId", threads.app_id as "appId", apps.name as "appName",
      coalesce(summary.title, '') as title, coalesce(summary.message, '') as message,
      coalesce(summary.user_name, summary.user_email, summary.user_id) as reporter,
      threads.message_count as "messageCount", threads.last_message_at as "lastMessageAt",
      last.author as "lastAuthor", last.author_name as "lastAuthorName", left(last.text, 200) as "lastText",
      case when ${unreadSql} then threads.message_count - greatest(threads.team_number, coalesce(known.number, 0)) else 0 end
        as "unreadCount",
      threads.read_number as "reporterReadNumber", threads.message_count > threads.team_number as "awaitsAnswer",
      threads.closed_at as "closedAt", threads.closed_by_user_id as "closedByUserId",
      threads.closed_by_name as "closedByName", threads.created_at as "createdAt"
    from threads
    join apps on apps.id = threads.app_id and apps.deleted_at is null
    ${joinReadsSql(userId)}
    left join event_summaries summary on summary.app_id = threads.app_id and summary.event_id = threads.event_id
    left join messages last
      on last.app_id = threads.app_id and last.thread_id = threads.id and last.number = threads.message_count
    where threads.organisation_id = ${organisationId} and ${where}`.execute(db);
  return rows.map(toSummary);
}

function toSummary({
  appId,
  appName,
  lastMessageAt,
  lastAuthor,
  lastAuthorName,
  lastText,
  closedAt,
  closedByUserId,
  closedByName,
  createdAt,
  ...same
}: Row): ThreadSummary {
  return {
    ...same,
    app: { id: appId, name: appName },
    lastMessageAt: lastMessageAt?.toISOString() ?? null,
    lastMessage: lastAuthor && { author: lastAuthor, authorName: lastAuthorName, text: lastText ?? "" },
    closed: closedAt && { at: closedAt.toISOString(), byUserId: closedByUserId, byName: closedByName ?? "" },
    createdAt: createdAt.toISOString(),
  };
}
