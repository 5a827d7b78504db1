import type { AuditLog, AuditQuery } from "@lodge/contract/dashboard/organisation";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";

const pageEntries = 50;

type EntryRow = { id: string; kind: string; at: Date; details: Record<string, unknown> };

/** A page of an organisation's audit log, the latest first. */
export async function listAudit(
  { db }: Deps,
  { organisationId }: { organisationId: string },
  { cursor }: AuditQuery,
): Promise<AuditLog> {
  const { rows } = await sql<EntryRow>`
    select id, kind, at, details from audit_entries
    where organisation_id = ${organisationId} and (${cursor ?? null}::uuid is null or (at, id) < (
      select at, id from audit_entries where organisation_id = ${organisationId} and id = ${cursor ?? null}))
    order by at desc, id desc limit ${sql.lit(pageEntries + 1)}`.execute(db);
  const entries = rows.slice(0, pageEntries).map(({ id, kind, at, details }) => {
    const { userId: _id, userName, requestedBy, ...about } = details;
    const who = userName ?? requestedBy;
    return { id, kind, at: at.toISOString(), who: typeof who === "string" ? who : null, details: about };
  });
  return { entries, nextCursor: rows.length > pageEntries ? (entries.at(-1)?.id ?? null) : null };
}
