import type { AddCredits } from "@lodge/contract/dashboard/runs";
import { creditsMax } from "@lodge/contract/limits";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";

/** Adds credits, with a history entry that names the admin. Throws `too_many`. */
export async function addCredits(
  { db, clock }: Deps,
  { organisationId, userId, name }: Actor,
  { amount, note }: AddCredits,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const added = await tx
      .updateTable("organisations")
      .set((make) => ({ credits: make("credits", "+", amount) }))
      .where("id", "=", organisationId)
      .where("credits", "<=", creditsMax - amount)
      .returning("id")
      .executeTakeFirst();
    if (!added) throw new Refusal("too_many");
    await tx
      .insertInto("credit_entries")
      .values({
        organisation_id: organisationId,
        kind: "added",
        amount,
        note,
        actor_user_id: userId,
        actor_name: name,
        created_at: clock.now(),
      })
      .execute();
    await publish(tx, organisationId, { kind: "credits.changed" });
  });
}
