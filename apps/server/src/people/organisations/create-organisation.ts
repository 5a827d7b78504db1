import type { CreateOrganisation } from "@lodge/contract/dashboard/access";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { slugOf } from "../../platform/slug.ts";
import type { SignedIn } from "../access/find-actor.ts";
import { holdSession } from "../access/hold-session.ts";
import { applyOrganisation } from "./apply-organisation.ts";

const ownedMax = 20;

/** Makes an organisation with its agent and this person as its owner, and returns its id. Throws `not_signed_in`
 * or `too_many`. */
export function createOrganisation(
  deps: Deps,
  { userId, sessionId }: SignedIn,
  { name }: CreateOrganisation,
): Promise<string> {
  return deps.db.transaction().execute(async (tx) => {
    await holdSession(tx, sessionId);
    await sql`lock table organisations in share row exclusive mode`.execute(tx); // a slug is used only once
    const owned = await tx
      .selectFrom("members")
      .select("organisation_id")
      .where("user_id", "=", userId)
      .where("role", "=", "owner")
      .execute();
    if (owned.length >= ownedMax) throw new Refusal("too_many");
    const like = slugOf(name, "organisation", []);
    const others = await tx.selectFrom("organisations").select("slug").where("slug", "like", `${like}%`).execute();
    const slug = slugOf(
      name,
      "organisation",
      others.map((other) => other.slug),
    );
    const { id } = await applyOrganisation(tx, deps.clock.now(), { name, slug });
    await tx
      .insertInto("members")
      .values({ organisation_id: id, user_id: userId, role: "owner", joined_by: "creation" })
      .execute();
    return id;
  });
}
