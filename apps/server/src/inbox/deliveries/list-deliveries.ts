import type pg from "pg";
import { OperatorError } from "../../platform/errors.ts";
import { hideSignatures } from "../artifacts/artifact-links.ts";

/** Filters of the list; an empty filter lists all deliveries. */
type Filter = { state?: string | undefined; subscriberId?: string | undefined };

/** A delivery as an operator sees it. Contains no secrets, except a secret path of an address. */
export type ListedDelivery = {
  id: string;
  state: string;
  /** The subscriber: `url`, or `boardId` if it is a board. */
  subscriber: { id: string; kind: string; url: string | null; boardId: string | null };
  app: { id: string; slug: string };
  eventId: string;
  reportId: string;
  /** The number of the reporter's message that it delivers; null if it delivers the event. */
  messageNumber: number | null;
  createdAt: Date;
  /** The time of the next attempt; null if it is delivered or dead. */
  dueAt: Date | null;
  attemptCount: number;
  lastAttempt: { status: number | null; reason: string | null } | null;
};

/** The statement that describes the deliveries that a query selects, newest first. */
export const describeDeliveriesSql = (chosen: string, furtherColumns = "") => `
  with chosen as materialized (${chosen})
  select chosen.id, state,
    json_build_object('id', subscribers.id, 'kind', kind, 'url', url, 'boardId', board_id) as subscriber,
    json_build_object('id', apps.id, 'slug', slug) as app,
    event_id as "eventId", report_id as "reportId", message_number as "messageNumber", chosen.created_at as "createdAt",
    case when settled_at is null then due_at end as "dueAt", attempt_count as "attemptCount",
    case when attempts.number is not null then json_build_object('status', status, 'reason', reason) end as "lastAttempt"
    ${furtherColumns}
  from chosen
  join apps on apps.id = chosen.app_id and apps.deleted_at is null
  join subscribers on subscribers.app_id = chosen.app_id and subscribers.id = subscriber_id and subscribers.deleted_at is null
  join events on events.app_id = chosen.app_id and events.id = event_id
  left join delivery_attempts attempts on attempts.app_id = chosen.app_id and attempts.delivery_id = chosen.id
    and attempts.number = attempt_count
  order by chosen.id desc`;

/** Takes the newest deliveries of each app by primary key, then the newest of those. */
const statement = describeDeliveriesSql(`
  select newest.* from apps cross join lateral (
    select * from deliveries
    where app_id = apps.id and ($1::text is null or state = $1) and ($2::uuid is null or subscriber_id = $2)
    order by id desc
    limit $3
  ) newest
  where $2 is null or apps.id = (select app_id from subscribers where subscribers.id = $2)
  order by newest.id desc
  limit $3`);

/** The newest deliveries, at most `limit`. Throws if the subscriber does not exist. */
export async function listDeliveries(
  pool: pg.Pool,
  { state, subscriberId }: Filter,
  limit: number,
): Promise<ListedDelivery[]> {
  const { rows } = await pool.query<ListedDelivery>(statement, [state, subscriberId, limit]);
  if (rows.length === 0 && subscriberId) {
    const { rowCount } = await pool.query("select from subscribers where id = $1 and deleted_at is null", [
      subscriberId,
    ]);
    if (rowCount === 0) throw new OperatorError(`There is no subscriber ${subscriberId}.`);
  }
  return rows.map(withoutSignatures);
}

/** A delivery whose last attempt contains no working link to an attachment. */
export const withoutSignatures = <Delivery extends ListedDelivery>(delivery: Delivery): Delivery => ({
  ...delivery,
  lastAttempt: delivery.lastAttempt && {
    ...delivery.lastAttempt,
    reason: hideSignatures(delivery.lastAttempt.reason),
  },
});
