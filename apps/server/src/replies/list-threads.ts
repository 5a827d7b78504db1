import type { ThreadFilter, ThreadPage, ThreadSummary } from "@lodge/contract/dashboard/threads";
import { repliesPageMax } from "@lodge/contract/replies";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { readTimeCursor, writeTimeCursor } from "../platform/time-cursor.ts";

/** The threads of an organisation, the latest message first. Throws `invalid_input` for a cursor that is not ours. */
export async function listThreads(
  { db }: Deps,
  { organisationId }: Actor,
  { state, eventId, cursor }: ThreadFilter,
): Promise<ThreadPage> {
  let query = selectThreads(db, organisationId)
    .orderBy("last_message_at", "desc")
    .orderBy("threads.id", "desc")
    .limit(repliesPageMax + 1);
  query = eventId ? query.where("event_id", "=", eventId) : query.where("message_count", ">", 0);
  if (state) query = query.where("closed_at", state === "open" ? "is" : "is not", null);
  if (cursor !== undefined) {
    const { at, id } = readTimeCursor(cursor);
    query = query.where(sql<boolean>`(last_message_at, threads.id) < (${at}::timestamptz, ${id}::uuid)`);
  }
  const rows = await query.execute();
  const page = rows.slice(0, repliesPageMax).map(toSummary);
  const last = page.at(-1);
  return {
    threads: page,
    nextCursor: rows.length > page.length && last ? writeTimeCursor(last.lastMessageAt, last.id) : null,
  };
}

/** The threads of an organisation with what a summary needs. */
export const selectThreads = (db: Database, organisationId: string) =>
  db
    .selectFrom("threads")
    .innerJoin("apps", "apps.id", "threads.app_id")
    .where("threads.organisation_id", "=", organisationId)
    .select([
      "threads.id",
      "threads.event_id",
      "threads.app_id",
      "apps.name as app_name",
      "threads.message_count",
      "threads.team_number",
      "threads.last_message_at",
      "threads.closed_at",
      "threads.closed_by_user_id",
      "threads.closed_by_name",
      "threads.created_at",
    ]);

type Row = Awaited<ReturnType<ReturnType<typeof selectThreads>["executeTakeFirstOrThrow"]>>;

/** A thread as the dashboard's API shows it. */
export function toSummary(row: Row): ThreadSummary {
  const { closed_at, closed_by_user_id, closed_by_name } = row;
  return {
    id: row.id,
    eventId: row.event_id,
    app: { id: row.app_id, name: row.app_name },
    messageCount: row.message_count,
    lastMessageAt: row.last_message_at && new Date(row.last_message_at).toISOString(),
    awaitsAnswer: row.message_count > row.team_number,
    closed: closed_at && {
      at: new Date(closed_at).toISOString(),
      byUserId: closed_by_user_id,
      byName: closed_by_name ?? "",
    },
    createdAt: new Date(row.created_at).toISOString(),
  };
}
