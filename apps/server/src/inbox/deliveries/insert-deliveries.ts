/**
 * The statement that writes a delivery of each event to each of its subscribers. `event` names a CTE with the app_id and
 * id of events that have just been written, `subscribed` one of `enabledSubscribersSql`; `messageNumber` is an SQL
 * expression where it is a message of the event's thread that they are told of; `on` says which of them is told of which, and
 * `onConflict` what becomes of one that there is.
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
