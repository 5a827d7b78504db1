import type { subscriberKinds } from "@lodge/contract/world";
import { inCamelCase, narrowed, preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import type { OutgoingProblem } from "../problems/problem-of-event.ts";
import { allowanceSql, chargeSubscriberSql, throttledSql } from "../subscribers/pace-subscriber.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";
import { includedEnvelopeBytesMax, type OutgoingEvent } from "./event-data.ts";

/** After this many failures in a row, a subscriber is paused, then tried with one delivery at a time. */
export const failuresBeforePause = 5;

/**
 * The number of first deliveries that are checked for one under way. With ordered delivery, that is one of the first.
 */
const firstInOrder = 100;

/**
 * Deliveries that fail in one statement, which takes some tenths of a second: a backlog of days may be too much for
 * one.
 */
export const failedAtOnceMax = 5_000;

/** A reporter's answer as receivers get it. */
export type Reply = { threadId: string; number: number; text: string; createdAt: string };

/** A delivery that this worker has claimed, with everything that its message needs. */
export type TakenDelivery = OutgoingEvent & {
  id: string;
  subscriberId: string;
  appName: string;
  retryCount: number;
  /** The replay that sent it; null if none did. */
  replayId: string | null;
  /** Whether the subscriber gets only this delivery, because it has failed too often or wants ordered delivery. */
  isProbe: boolean;
  /** The message of a thread to deliver; null to deliver the event. */
  reply: Reply | null;
  organisationId: string;
  kind: (typeof subscriberKinds)[number];
  /** The address without its secret parts; empty if the subscriber is a board. */
  url: string;
  /** The whole address, encrypted; null if `url` is the whole address. */
  sealedUrl: string | null;
  /** The signing secrets of a webhook, or the GitHub token, encrypted. */
  secrets: string[];
  boardId: string | null;
  columnId: string | null;
  /** The trace context of the request that sent the event. */
  traceparent: string | null;
};

/** A delivery with the event's problem for its message; null if it has none, or none that is known yet. */
export type OutgoingDelivery = TakenDelivery & { problem: OutgoingProblem | null };

/** The columns of `takenSql`. */
export const takenColumns = {
  id: "uuid",
  app_id: "uuid",
  subscriber_id: "uuid",
  app_name: "text",
  retry_count: "integer",
  replay_id: "uuid?",
  is_probe: "boolean",
  event_id: "uuid",
  report_id: "text",
  received_at: "timestamptz",
  envelope: "bytea?",
  reply: narrowed<TakenDelivery["reply"]>("json?"),
  attachments: narrowed<TakenDelivery["attachments"]>("json"),
  organisation_id: "uuid",
  board_id: "uuid?",
  column_id: "uuid?",
  traceparent: "text?",
  kind: narrowed<TakenDelivery["kind"]>("text"),
  url: "text",
  sealed_url: "text?",
  secrets: "text[]",
} as const;

/**
 * The query of everything that messages need: a row for each delivery of the CTE `taken`, all for the subscriber of the
 * CTE `subscriber`. `appId` and `subscriberId` are SQL expressions. Events are looked up one by one (`offset 0`),
 * because a plan made while the tables were empty would otherwise read all events of the app every time.
 */
export const takenSql = (
  appId: string,
  subscriberId: string,
) => `select taken.id, events.app_id, subscriber.id as subscriber_id, apps.name as app_name, retry_count, replay_id,
    is_single as is_probe, taken.event_id, report_id, received_at,
    case when subscriber.kind <> 'webhook' or octet_length(envelope) <= ${includedEnvelopeBytesMax}
      then envelope end as envelope,
    case when messages.number is not null then json_build_object('threadId', messages.thread_id, 'number', messages.number,
      'text', messages.text, 'createdAt', messages.created_at) end as reply,
    events.attachments, subscriber.organisation_id, board_id, column_id, traceparent,
    subscriber.kind, coalesce(subscriber.url, '') as url, subscriber.sealed_url,
    array(select secret from signing_secrets
      where signing_secrets.app_id = ${appId} and subscriber_id = ${subscriberId} and (expires_at is null or expires_at > now())
      order by created_at desc, signing_secrets.id desc) as secrets
  from taken
  cross join lateral (select * from events where events.app_id = ${appId} and events.id = taken.event_id offset 0) events
  join apps on apps.id = ${appId}
  left join lateral (
    select id from threads
    where threads.app_id = ${appId} and threads.event_id = taken.event_id and taken.message_number is not null offset 0
  ) threads on true
  left join lateral (
    select * from messages
    where messages.app_id = ${appId} and messages.thread_id = threads.id and messages.number = taken.message_number offset 0
  ) messages on true
  cross join subscriber
  order by taken.due_at`;

/**
 * Claims the oldest due deliveries of a subscriber. If it is disabled, fails 5,000 of them instead. A subscriber with a
 * rate limit that is used up waits until its attempts are paid for. With ordered delivery it gets one at a time, and
 * none while that one is under way.
 */
const takeStatement = preparedStatement({
  name: "take_deliveries",
  parameters: { appId: "uuid", subscriberId: "uuid", workerId: "text", underWay: "uuid[]", count: "integer" },
  row: takenColumns,
  text: ({ appId, subscriberId, workerId, underWay, count }) => {
    const aheadSql = (columns: string, many: number) => `select ${columns} from deliveries
      where app_id = ${appId} and subscriber_id = ${subscriberId} and state in ('waiting', 'failed')
      order by due_at limit ${many}`;
    return `with ${throttledSql(appId, subscriberId)}, subscriber as materialized (
    select subscribers.*, consecutive_failures >= ${failuresBeforePause} or ordered as is_single,
      ${allowanceSql} as allowance
    from subscribers left join throttled using (id)
    where app_id = ${appId} and subscribers.id = ${subscriberId}
      and (paused_until is null or paused_until <= now() or not enabled)
  ), first as materialized (
    select ahead.id, ahead.due_at from subscriber, (${aheadSql("id, due_at", 1)}) ahead
    where case when ordered then not exists (
      select from (${aheadSql("claimed_by", firstInOrder)}) claimed where claimed_by <> ${workerId}) end
  ), due as materialized (
    select deliveries.ctid as place from deliveries, subscriber
    where deliveries.app_id = ${appId} and deliveries.subscriber_id = ${subscriberId} and state in ('waiting', 'failed')
      and subscriber.enabled and (claimed_by is null or claimed_by = ${workerId}) and deliveries.id <> all(${underWay})
      -- in order, none behind the first is looked at: were it skipped because another worker locks it, that would be the second
      and due_at <= now() and due_at <= (select case when ordered then (select due_at from first) else 'infinity' end from subscriber)
      and (not ordered or deliveries.id = (select id from first))
    order by due_at
    limit (select greatest(0, least(${count}, allowance,
      case when is_single then 1 - cardinality(${underWay}) end)) from subscriber)
    for update of deliveries skip locked
  ), taken as (
    update deliveries set claimed_by = ${workerId} where ctid = any (array(select place from due)) -- as they lie, whatever the planner knows
    returning id, event_id, message_number, retry_count, replay_id, due_at
  ), ${chargeSubscriberSql(appId, { taken: "taken", subscriber: "subscriber" })}, unwanted as materialized (
    select ctid as place from deliveries
    where (select not enabled from subscriber) -- of one that is enabled none is looked at, whatever the planner knows
      and app_id = ${appId} and subscriber_id = ${subscriberId} and state in ('waiting', 'failed') and claimed_by is null
    order by due_at limit ${failedAtOnceMax}
    for update
  ), given_up as (
    update deliveries set state = 'dead', settled_at = now() where ctid = any (array(select place from unwanted))
    returning app_id, subscriber_id
  ), continued as (${wakeSubscribersSql(`select app_id, json_build_array(subscriber_id), now() from given_up
    group by app_id, subscriber_id having count(*) = ${failedAtOnceMax}`)}
  )
  ${takenSql(appId, subscriberId)}`;
  },
});

/**
 * Claims at most `count` due deliveries of a subscriber for this worker. `underWay` lists those that it is attempting
 * already: any other that it has claimed was lost to a broken connection, and is returned again.
 */
export async function takeDeliveries(
  { pool }: Deps,
  workerId: string,
  subscriber: { appId: string; id: string },
  underWay: string[],
  count: number,
): Promise<TakenDelivery[]> {
  const asked = { appId: subscriber.appId, subscriberId: subscriber.id, workerId, underWay, count };
  return (await takeStatement(pool, asked)).map(inCamelCase);
}
