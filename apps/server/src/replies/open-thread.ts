/**
 * The statement that opens the thread of an event, in the event's transaction. `event` names a CTE of app_id, id and
 * received_at; `organisationId`, `install` and `when` are SQL expressions. The device is the install or, where the
 * report names none, one of its own.
 */
export const openThreadSql = (event: string, organisationId: string, install: string, when: string) => `
  insert into threads (organisation_id, app_id, event_id, device_id, created_at)
  select ${organisationId}, app_id, id, coalesce(${install}, gen_random_uuid()), received_at from ${event} where ${when}
  returning id, device_id`;
