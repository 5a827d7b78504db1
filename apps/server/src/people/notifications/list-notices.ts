import type { NoticePage, NoticeQuery } from "@lodge/contract/dashboard/notices";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { type NoticeRow, notInTrash, noticeColumns, noticeJoins, toNotice } from "./notice-rows.ts";
import { countUnread } from "./read-notices.ts";

const pageNotices = 50;

/** The notifications of a member in the organisation, the newest first. */
export async function listNotices(
  { db }: Deps,
  { organisationId, userId }: Actor,
  { cursor, unread }: NoticeQuery,
): Promise<NoticePage> {
  const { rows } = await sql<NoticeRow>`
    select ${noticeColumns} from notices ${noticeJoins}
    where notices.organisation_id = ${organisationId} and notices.user_id = ${userId}
      and (${cursor ?? null}::uuid is null or notices.id < ${cursor ?? null})
      and (notices.read_at is null or ${unread !== "only"}) and ${notInTrash}
    order by notices.id desc limit ${pageNotices + 1}`.execute(db);
  const notices = rows.slice(0, pageNotices).map(toNotice);
  return {
    notices,
    unreadCount: await countUnread(db, organisationId, userId),
    nextCursor: rows.length > pageNotices ? (notices.at(-1)?.id ?? null) : null,
  };
}
