import type { Database } from "../../platform/database/database.ts";

/** Makes an organisation the one that a session works in, which the person was in before; null for none. */
export async function setOrganisation(db: Database, sessionId: string, organisationId: string | null): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ active_organisation_id: organisationId })
    .where("id", "=", sessionId)
    .execute();
}
