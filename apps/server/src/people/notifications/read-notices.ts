import type { ReadNotices, UnreadCount } from "@lodge/contract/dashboard/notices";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { notInTrash } from "./notice-rows.ts";

/** Marks notifications of a member as read or unread; ignores ids of others, and tickets without notifications. */
export async function readNotices(
  { db, clock, announce }: Deps,
  { organisationId, userId }: Actor,
  { noticeIds, ticketId, read = true }: ReadNotices,
): Promise<UnreadCount> {
  const { numAffectedRows } = await sql`
    update notices set read_at = ${read ? clock.now() : null}
    where organisation_id = ${organisationId} and user_id = ${userId} and (read_at is null) = ${read}
      and ${noticeIds ? sql<boolean>`id = any(${noticeIds}::uuid[])` : sql<boolean>`true`}
      and ${ticketId ? sql<boolean>`ticket_id = ${ticketId}` : sql<boolean>`true`}`.execute(db);
  if (numAffectedRows) announce(organisationId, { kind: "notices.changed", userId });
  return { unreadCount: await countUnread(db, organisationId, userId) };
}

/** The number of unread notifications of a member in the organisation. */
export async function countUnread(db: Database, organisationId: string, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from notices
    left join tickets on tickets.organisation_id = notices.organisation_id and tickets.id = notices.ticket_id
    where notices.organisation_id = ${organisationId} and user_id = ${userId} and read_at is null
      and ${notInTrash}`.execute(db);
  return rows[0]?.count ?? 0;
}
