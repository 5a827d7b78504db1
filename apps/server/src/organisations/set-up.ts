import type { SetUp } from "@lodge/contract/dashboard/access";
import { sql } from "kysely";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { slugOf } from "../platform/slug.ts";
import { applyMember } from "./apply-member.ts";
import { applyOrganisation } from "./apply-organisation.ts";

/** Whether there is no organisation yet. */
export async function isSetupNeeded({ db }: Deps): Promise<boolean> {
  return (await db.selectFrom("organisations").select("id").limit(1).executeTakeFirst()) === undefined;
}

/** Makes the first organisation and its owner. Throws `already_set_up`; of two at the same time one does. */
export async function setUp({ db, clock }: Deps, { organisationName, name, email, password }: SetUp): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`lock table organisations in share row exclusive mode`.execute(tx);
    if (await tx.selectFrom("organisations").select("id").limit(1).executeTakeFirst()) {
      throw new Refusal("already_set_up");
    }
    const slug = slugOf(organisationName, "organisation");
    const { id } = await applyOrganisation(tx, clock.now(), { name: organisationName, slug });
    await applyMember(tx, id, { email, name, role: "owner", password });
  });
}
