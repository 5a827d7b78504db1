import { addJobsSql } from "../../platform/jobs/jobs.ts";

/** The task that delivers what is due at the subscribers that its payload names. */
export const wakeTask = "wake_subscribers";

/** The payload of the task: `{appId, subscriberIds}`. */
export type WakePayload = { appId: string; subscriberIds: string[] };

/** The enabled subscribers of an app: what an event is fanned out to. `appId` is an SQL expression. */
export const enabledSubscribersSql = (appId: string) =>
  `select app_id, id, filter from subscribers where app_id = ${appId} and enabled`;

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
