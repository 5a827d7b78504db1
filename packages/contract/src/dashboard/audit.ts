/** What the audit log of an organisation tells of. */
export const auditKinds = [
  "ingestion.suspended",
  "ingestion.suspension_prolonged",
  "ingestion.resumed",
  "allowance.changed",
  "month.struck_out",
  "app.created",
  "app.changed",
  "key.created",
  "key.rotated",
  "key.revoked",
  "reports.erased",
  "ticket.deleted",
] as const;
export type AuditKind = (typeof auditKinds)[number];
