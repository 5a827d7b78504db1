import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { addJobsSql } from "../../platform/jobs/jobs.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";
import { idsAround, judgedSql } from "./replay-candidates.ts";

/** The task that sends the next events of a replay. */
export const replayTask = "replay_events";

export type ReplayPayload = { replayId: string };

/** The events that a replay sends in a second at most, so that it hardly delays new events. */
export const replaysPerSecond = 50;
/** The events that a replay checks in a second at most. */
const scannedMax = 5_000;

const findReplay = preparedStatement({
  name: "find_replay",
  parameters: { replayId: "uuid" },
  row: { from: "timestamptz", until: "timestamptz" },
  text: ({ replayId }) => `select from_at as "from", until_at as until from replays
    where id = ${replayId} and state = 'running'`,
});

/**
 * Reads the next events and sends the matching ones, unless a second's worth is still being sent. A job that runs twice
 * does nothing, since `next_at` has not come yet.
 */
const replayStatement = preparedStatement({
  name: "replay_events",
  parameters: { replayId: "uuid", last: "uuid" },
  row: { sent: "integer" },
  text: ({ replayId, last }) => `with replay as materialized (
    select replays.*, (select count(*) from (
        select from deliveries where deliveries.app_id = replays.app_id and deliveries.subscriber_id = replays.subscriber_id
          and deliveries.state in ('waiting', 'failed') limit ${replaysPerSecond}) open) as open_count
    from replays where id = ${replayId} and state = 'running' and next_at <= now()
    for update skip locked
  ), subscriber as materialized (
    select subscribers.id, subscribers.filter, subscribers.enabled
    from subscribers join replay on subscribers.app_id = replay.app_id and subscribers.id = replay.subscriber_id
  ), scanned as materialized (
    select events.app_id, events.id, received_at >= from_at and received_at < until_at as is_within
    from replay join lateral (
      select * from events where events.app_id = replay.app_id and events.id > replay.position and events.id < ${last}
      order by events.id limit case when open_count < ${replaysPerSecond} then ${scannedMax} else 0 end
    ) events on true
  ), judged as (${judgedSql("scanned", "subscriber", "(select again from replay)", "is_within")}
  ), placed as materialized (
    select id, delivery_id, is_wanted, count(*) filter (where is_wanted) over (order by id) as nth from judged
  ), taken as materialized (
    select placed.* from placed, replay where nth <= ${replaysPerSecond} - open_count
  ), held as materialized ( -- until it is committed, so that no event goes without what is made here
    select events.id, nth from taken, replay, events
    where events.app_id = replay.app_id and events.id = taken.id and is_wanted and delivery_id is null
    for key share of events
  ), made as (
    insert into deliveries (app_id, event_id, subscriber_id, replay_id, due_at)
    select replay.app_id, held.id, replay.subscriber_id, replay.id, now() + nth * interval '1 microsecond'
    from held, replay, subscriber where enabled
    order by held.id
    on conflict do nothing
    returning app_id, subscriber_id
  ), again as (
    update deliveries set state = 'waiting', settled_at = null, due_at = now() + nth * interval '1 microsecond', retry_count = 0,
      replay_id = replay.id
    from taken, replay, subscriber
    where deliveries.app_id = replay.app_id and deliveries.id = taken.delivery_id and is_wanted and subscriber.enabled
      and deliveries.state in ('dead', 'delivered')
    returning deliveries.app_id, deliveries.subscriber_id
  ), sent as materialized (
    select app_id, subscriber_id from made union all select app_id, subscriber_id from again
  ), advanced as (
    update replays set
      position = coalesce((select id from taken order by id desc limit 1), replays.position),
      sent_count = replays.sent_count + (select count(*) from sent),
      next_at = now() + interval '1 second',
      state = case when not subscriber.enabled then 'cancelled' when ended then 'done' else 'running' end,
      ended_at = case when ended or not subscriber.enabled then at end,
      ended_by = case when not subscriber.enabled then 'The subscriber was disabled.' end
    from replay, subscriber, lateral (
      select open_count < ${replaysPerSecond} and (select count(*) from scanned) < ${scannedMax}
        and (select count(*) from scanned) = (select count(*) from taken) as ended, now() as at) progress
    where replays.id = replay.id
    returning replays.id, replays.state, replays.next_at
  ), woken as (${wakeSubscribersSql("select app_id, json_agg(distinct subscriber_id), now() from sent group by app_id")}
  ), next as (${addJobsSql(
    "replay_events",
    "select json_build_object('replayId', id), next_at from advanced where state = 'running'",
  )}
  )
  select (select count(*) from sent)::integer as sent from advanced`,
});

/** Sends the next events of a replay. The task schedules itself for the next second until all events are sent. */
export async function replayEvents({ pool, announceJobs }: Deps, { replayId }: ReplayPayload): Promise<void> {
  const [replay] = await findReplay(pool, { replayId });
  if (!replay) return;
  const [advanced] = await replayStatement(pool, { replayId, last: idsAround(replay.from, replay.until).last });
  if (advanced && advanced.sent > 0) announceJobs();
}
