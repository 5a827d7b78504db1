import type { Transaction } from "../../platform/database/database.ts";

/** The projects of an organisation in their order; none is made, moved or deleted until the transaction ends. */
export async function lockProjects(tx: Transaction, organisationId: string): Promise<{ id: string; slug: string }[]> {
  await tx.selectFrom("organisations").select("id").where("id", "=", organisationId).forNoKeyUpdate().execute();
  return tx
    .selectFrom("projects")
    .select(["id", "slug"])
    .where("organisation_id", "=", organisationId)
    .orderBy("position")
    .orderBy("id")
    .execute();
}
