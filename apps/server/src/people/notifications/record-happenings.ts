/**
 * The statement that records a happening, in the transaction that causes it; each kind once for each subject.
 * `happenings` is a query of organisation_id, kind, subject, details and created_at. A trigger records those of runs
 * (`migrations/0011_agents.sql`).
 */
export const recordHappeningsSql = (happenings: string) => `
  insert into happenings (organisation_id, kind, subject, details, created_at) ${happenings}
  on conflict do nothing`;
