/**
 * The statement that inserts a delivery of each event for each of its subscribers. `event` names a CTE with the app_id
 * and id of just-inserted events; `subscribed` names a CTE of `enabledSubscribersSql`. `messageNumber` is an SQL
 * expression for the message of the event's thread to deliver, if any. `on` is the join condition, and `onConflict`
 * handles deliveries that exist already.
 */
export const insertDeliveriesSql = (
  event: string,
  subscribed: string,
  messageNumber = "null::integer",
  on = `${subscribed}.app_id = ${event}.app_id`,
  onConflict = "",
) => `
  insert into deliveries (app_id, event_id, subscriber_id, message_number)
  select ${event}.app_id, ${event}.id, ${subscribed}.id, ${messageNumber} from ${event} join ${subscribed} on ${on}
  ${onConflict} returning app_id, subscriber_id`;
