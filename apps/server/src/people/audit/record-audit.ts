import type { AuditKind } from "@lodge/contract/dashboard/audit";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/**
 * The statement that writes entries of the audit log, in the transaction of what it tells of.
 * `entries` is a query of organisation_id, kind, details and at.
 */
export const recordAuditSql = (entries: string) => `
  insert into audit_entries (organisation_id, kind, details, at) ${entries}`;

/** The author of a change: a member, or without a `userId` the operator. */
export type Who = { organisationId: string; userId: string | null; name: string };

/** Writes into the audit log what a member has changed, in the transaction that changes it. */
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
