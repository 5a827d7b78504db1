import type { Notice } from "@lodge/contract/dashboard/notices";
import { type RawBuilder, sql } from "kysely";

/** A notification as `noticeColumns` selects it. */
export type NoticeRow = {
  id: string;
  kind: Notice["kind"];
  ticketId: string | null;
  title: string | null;
  number: string | null;
  appId: string | null;
  problemId: string | null;
  actor: string;
  text: string | null;
  createdAt: Date;
  readAt: Date | null;
};

/** Matches an image in a text. */
const shownImage = String.raw`!\[[^]\n]*\]\(/api/dashboard/images/[0-9a-f-]{36}\)`;

/** What to select of `notices`, beside `noticeJoins`. */
export const noticeColumns: RawBuilder<unknown> = sql`
  notices.id, notices.kind, notices.ticket_id as "ticketId", tickets.title,
  upper(projects.slug) || '-' || numbered.number as number, notices.actor_name as actor,
  notices.app_id as "appId", problems.id as "problemId",
  coalesce(notices.text, left(regexp_replace(comments.text, ${shownImage}, '(image)', 'g'), 300)) as text, notices.created_at as "createdAt", notices.read_at as "readAt"`;

/** The joins that `noticeColumns` needs. */
export const noticeJoins: RawBuilder<unknown> = sql`
  left join tickets on tickets.organisation_id = notices.organisation_id and tickets.id = notices.ticket_id
  left join ticket_numbers numbered
    on numbered.organisation_id = notices.organisation_id and numbered.ticket_id = notices.ticket_id
  left join problems on problems.organisation_id = notices.organisation_id and problems.id = notices.problem_id
  left join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
  left join comments on comments.organisation_id = notices.organisation_id
    and comments.ticket_id = notices.ticket_id and comments.id = notices.comment_id`;

/** Whether the subject of a notification is not in the trash, beside `noticeJoins`. */
export const notInTrash: RawBuilder<boolean> = sql`(notices.ticket_id is null or tickets.column_id is not null)`;

/** Converts a row to the contract's form. */
export const toNotice = ({ ticketId, title, number, createdAt, readAt, ...row }: NoticeRow): Notice => ({
  ...row,
  ticket: ticketId === null || title === null ? null : { id: ticketId, title, number },
  createdAt: createdAt.toISOString(),
  readAt: readAt?.toISOString() ?? null,
});
