import { addJobsSql } from "../platform/jobs.ts";

/** The task that delivers what is due at the subscribers that its payload names. */
export const wakeTask = "wake_subscribers";

/** What the task is told: `{appId, subscriberIds}`. */
export type WakePayload = { appId: string; subscriberIds: string[] };

/** The enabled subscribers of an app: what an event is fanned out to. `appId` is an SQL expression. */
export const enabledSubscribersSql = (appId: string) =>
  `select app_id, id from subscribers where app_id = ${appId} and enabled`;

/**
 * The statement that writes a delivery of each event to each of its subscribers. `event` names a CTE with the app_id and
 * id of events that have just been written, `subscribed` one of `enabledSubscribersSql`; `messageNumber` is an SQL
 * expression where it is a message of the event's thread that they are told of.
 */
export const insertDeliveriesSql = (event: string, subscribed: string, messageNumber = "null::integer") => `
  insert into deliveries (app_id, event_id, subscriber_id, message_number)
  select ${event}.app_id, ${event}.id, ${subscribed}.id, ${messageNumber} from ${event} join ${subscribed} on ${subscribed}.app_id = ${event}.app_id
  returning app_id, subscriber_id`;

/**
 * The statement that adds a job which wakes subscribers for each row of `wakes`: a query of app_id, subscriber_ids (a JSON
 * array) and run_at. The worker sees it when it polls, or when `announceJobs` tells it to look.
 */
export const wakeSubscribersSql = (wakes: string) =>
  addJobsSql(
    wakeTask,
    `select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (${wakes}) wake (app_id, subscriber_ids, run_at)`,
  );
