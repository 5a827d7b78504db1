import { addJobsSql } from "../../platform/jobs/jobs.ts";

/** The task that delivers what is due to the subscribers in its payload. */
export const wakeTask = "wake_subscribers";

export type WakePayload = { appId: string; subscriberIds: string[] };

/** The enabled subscribers of an app, to which its events are delivered. `appId` is an SQL expression. */
export const enabledSubscribersSql = (appId: string) =>
  `select app_id, id, filter from subscribers where app_id = ${appId} and enabled`;

/**
 * The statement that adds a job that wakes subscribers for each row of `wakes`, a query of app_id, subscriber_ids (a
 * JSON array) and run_at. Workers see it when they poll, or when `announceJobs` notifies them.
 */
export const wakeSubscribersSql = (wakes: string) =>
  addJobsSql(
    wakeTask,
    `select json_build_object('appId', wake.app_id, 'subscriberIds', wake.subscriber_ids), wake.run_at
    from (${wakes}) wake (app_id, subscriber_ids, run_at)`,
  );
