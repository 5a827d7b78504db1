/**
 * The statement that opens the threads of events, in their transaction. `event` names a CTE of organisation_id, app_id,
 * id, install (null for none) and at. The thread's device is the install or, without one, a new device.
 */
export const openThreadSql = (event: string) => `
  insert into threads (organisation_id, app_id, event_id, device_id, created_at)
  select organisation_id, app_id, id, coalesce(install, uuidv7()), at from ${event}
  returning id, event_id, device_id`;
