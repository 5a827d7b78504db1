import { preparedStatement } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";

/** A report that becomes a card. `columnId` null means the leftmost column of the board. */
export type ReportCard = {
  organisationId: string;
  boardId: string | null;
  columnId: string | null;
  title: string;
  message: string;
  /** Where the whole report is. */
  url: string;
  authorName: string;
  appId: string;
  eventId: string;
  deliveryId: string;
};

const descriptionLengthMax = 20_000;

const fileReportStatement = preparedStatement<{ columnId: string; ticketId: string | null }>(
  "file_report",
  `with place as materialized (
    select id from columns
    where organisation_id = $1 and board_id = $2 and ($3::uuid is null or id = $3)
    order by position, id limit 1
  ), ticket as (
    insert into tickets (organisation_id, id, column_id, position, title, description, author_name, app_id, event_id,
      delivery_id, created_at)
    select $1, made.id, place.id, replace(made.id::text, '-', ''), $4, $5, $6, $7, $8, $9, $10
    from place, (select uuidv7() as id) made
    on conflict (organisation_id, delivery_id) where delivery_id is not null do nothing
    returning id
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_name, details, created_at)
    select $1, ticket.id, 'ticket.filed', $6, jsonb_build_object('origin', 'report', 'appId', $7::uuid, 'eventId', $8::uuid), $10
    from ticket
  )
  select place.id as "columnId", (select id from ticket) as "ticketId" from place`,
);

/**
 * Files a card for a report, once for each delivery however often it is called. Title and message must be storable text;
 * a message that leaves no room for the link is cut. Returns false where the board has no such column.
 */
export async function fileReport({ pool, clock, announce }: Deps, card: ReportCard): Promise<boolean> {
  const link = `\n\n${card.url}`;
  const room = descriptionLengthMax - link.length;
  const points = [...card.message];
  const message = points.length > room ? `${points.slice(0, room - 1).join("")}…` : card.message;
  const [place] = await fileReportStatement(pool, [
    card.organisationId,
    card.boardId,
    card.columnId,
    card.title,
    `${message}${link}`.trim(),
    card.authorName,
    card.appId,
    card.eventId,
    card.deliveryId,
    clock.now(),
  ]);
  if (!place || card.boardId === null) return false;
  const { columnId, ticketId } = place;
  if (ticketId) announce(card.organisationId, { kind: "ticket.filed", ticketId, boardId: card.boardId, columnId });
  return true;
}
