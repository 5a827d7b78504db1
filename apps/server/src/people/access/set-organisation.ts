import type { Database } from "../../platform/database/database.ts";

/** Sets the organisation that a session works on, of which the person must be a member; null for none. */
export async function setOrganisation(db: Database, sessionId: string, organisationId: string | null): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ active_organisation_id: organisationId })
    .where("id", "=", sessionId)
    .execute();
}
