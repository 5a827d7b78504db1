import type { Notice, NoticePage, NoticeQuery } from "@lodge/contract/dashboard/notices";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { countUnread } from "./read-notices.ts";

const pageNotices = 50;

type Row = {
  id: string;
  kind: Notice["kind"];
  ticketId: string;
  title: string;
  number: string | null;
  actor: string;
  text: string | null;
  createdAt: Date;
  readAt: Date | null;
};

/** What a member is to be told in the organisation, the newest first. */
export async function listNotices(
  { db }: Deps,
  { organisationId, userId }: Actor,
  { cursor, unread }: NoticeQuery,
): Promise<NoticePage> {
  const { rows } = await sql<Row>`
    select notices.id, notices.kind, notices.ticket_id as "ticketId", tickets.title,
      upper(projects.slug) || '-' || numbered.number as number, notices.actor_name as actor,
      left(comments.text, 300) as text, notices.created_at as "createdAt", notices.read_at as "readAt"
    from notices
    join tickets on tickets.organisation_id = notices.organisation_id and tickets.id = notices.ticket_id
    left join ticket_numbers numbered
      on numbered.organisation_id = notices.organisation_id and numbered.ticket_id = notices.ticket_id
    left join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
    left join comments on comments.organisation_id = notices.organisation_id
      and comments.ticket_id = notices.ticket_id and comments.id = notices.comment_id
    where notices.organisation_id = ${organisationId} and notices.user_id = ${userId}
      and (${cursor ?? null}::uuid is null or notices.id < ${cursor ?? null})
      and (notices.read_at is null or ${unread !== "only"})
    order by notices.id desc limit ${pageNotices + 1}`.execute(db);
  const notices = rows.slice(0, pageNotices).map(({ ticketId, title, number, createdAt, readAt, ...row }) => ({
    ...row,
    ticket: { id: ticketId, title, number },
    createdAt: createdAt.toISOString(),
    readAt: readAt?.toISOString() ?? null,
  }));
  return {
    notices,
    unreadCount: await countUnread(db, organisationId, userId),
    nextCursor: rows.length > pageNotices ? (notices.at(-1)?.id ?? null) : null,
  };
}
