import type { ChangeOrganisation, Organisation } from "@lodge/contract/dashboard/organisation";
import type { Database } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";

/** The actor's current organisation. */
export const showOrganisation = ({ db }: Deps, actor: Actor): Promise<Organisation> => readOrganisation(db, actor);

/** Renames the organisation; its slug does not change. */
export function changeOrganisation(
  { db, clock }: Deps,
  actor: Actor,
  { name }: ChangeOrganisation,
): Promise<Organisation> {
  const { organisationId } = actor;
  return db.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom("organisations")
      .select("name")
      .where("id", "=", organisationId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    if (before.name !== name) {
      await tx.updateTable("organisations").set({ name }).where("id", "=", organisationId).execute();
      await recordAudit(tx, actor, clock.now(), "organisation.renamed", { from: before.name, to: name });
      await publish(tx, organisationId, { kind: "organisation.changed" });
    }
    return readOrganisation(tx, actor);
  });
}

async function readOrganisation(db: Database, { organisationId }: Actor): Promise<Organisation> {
  const { created_at, ...organisation } = await db
    .selectFrom("organisations")
    .select(["id", "name", "slug", "created_at"])
    .where("id", "=", organisationId)
    .executeTakeFirstOrThrow();
  return { ...organisation, createdAt: created_at.toISOString() };
}
