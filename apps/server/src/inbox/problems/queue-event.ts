/**
 * The statement that queues events to be read into the inbox of their app, in the transaction that inserts them.
 * `event` names a CTE with their app_id and id.
 */
export const queueEventSql = (event: string) => `
      insert into unread_events (app_id, event_id) select app_id, id from ${event}`;
