/**
 * The statement that writes entries of the audit log, in the transaction of what it tells of.
 * `entries` is a query of organisation_id, kind, details and at.
 */
export const recordAuditSql = (entries: string) => `
  insert into audit_entries (organisation_id, kind, details, at) ${entries}`;
