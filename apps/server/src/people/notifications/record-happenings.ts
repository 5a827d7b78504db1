/**
 * The statement that keeps what an organisation must be told, in the transaction of what it is about; of a kind each
 * subject once. `happenings` is a query of organisation_id, kind, subject, details and created_at. Runs keep theirs by a
 * trigger (`migrations/0011_agents.sql`).
 */
export const recordHappeningsSql = (happenings: string) => `
  insert into happenings (organisation_id, kind, subject, details, created_at) ${happenings}
  on conflict do nothing`;
