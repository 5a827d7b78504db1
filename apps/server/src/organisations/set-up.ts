import type { SetUp } from "@lodge/contract/dashboard/access";
import { sql } from "kysely";
import type { Transaction } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput, Refusal } from "../platform/errors.ts";
import { slugOf } from "../platform/slug.ts";
import { applyMember } from "./apply-member.ts";
import { applyOrganisation } from "./apply-organisation.ts";

/** Whether there is no person yet: nobody who can sign in, and no member but the organisations' agents. */
export async function isSetupNeeded({ db }: Pick<Deps, "db">): Promise<boolean> {
  const { rows } = await sql<{ needed: boolean }>`
    select not exists (select from accounts) and not exists (
      select from members join organisations on organisations.id = members.organisation_id
      where members.user_id <> organisations.agent_user_id
    ) as needed`.execute(db);
  return rows[0]?.needed ?? false;
}

/**
 * Makes the first person, the owner of a new organisation: one that is there already is not given to whoever comes first.
 * Throws `already_set_up` or `invalid_input`; of two at the same time one does.
 */
export async function setUp({ db, clock }: Deps, { organisationName, name, email, password }: SetUp): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`lock table organisations in share row exclusive mode`.execute(tx); // lodged apply writes to it before it makes a member
    if (!(await isSetupNeeded({ db: tx }))) throw new Refusal("already_set_up");
    const others = await tx.selectFrom("organisations").select("slug").execute();
    const taken = others.map(({ slug }) => slug);
    const slug = slugOf(organisationName, "organisation", taken);
    const { id } = await applyOrganisation(tx, clock.now(), { name: organisationName, slug });
    await refuseAgent(tx, email);
    await applyMember(tx, id, { email, name, role: "owner", password });
  });
}

/** An agent with a password would open its organisation. */
async function refuseAgent(tx: Transaction, email: string) {
  const agent = await tx
    .selectFrom("organisations")
    .innerJoin("users", "users.id", "organisations.agent_user_id")
    .select("users.id")
    .where("users.email", "=", email.toLowerCase())
    .executeTakeFirst();
  if (agent) throw invalidInput([{ path: "/email", message: "must not be that of an organisation's agent" }]);
}
