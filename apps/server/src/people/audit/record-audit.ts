import type { AuditKind } from "@lodge/contract/dashboard/audit";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/**
 * The statement that writes audit log entries, in the transaction of the change. `entries` is a query of
 * organisation_id, kind, details and at.
 */
export const recordAuditSql = (entries: string) => `
  insert into audit_entries (organisation_id, kind, details, at) ${entries}`;

/** The author of a change: a member or, without a `userId`, the operator. */
export type Who = { organisationId: string; userId: string | null; name: string };

/** Records a member's change in the audit log, in the transaction of the change. */
export async function recordAudit(
  tx: Database,
  { organisationId, userId, name: userName }: Who,
  at: Date,
  kind: AuditKind,
  details: Record<string, unknown>,
): Promise<void> {
  const all = JSON.stringify({ ...details, userId, userName });
  await sql`${sql.raw(recordAuditSql("select"))} ${organisationId}::uuid, ${kind}, ${all}::jsonb, ${at}::timestamptz`.execute(
    tx,
  );
}
