import type { SetUp } from "@lodge/contract/dashboard/access";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { slugOf } from "../../platform/slug.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { hashPassword } from "../access/password-hash.ts";
import { applyMember } from "./apply-member.ts";
import { applyOrganisation } from "./apply-organisation.ts";
import { writePassword } from "./apply-password.ts";

/** The servers that have seen a person, which stays true: they need not look again. */
const setUpBefore = new WeakSet<Deps>();

/** Whether there is no person yet: nobody who can sign in, and no member except the organisations' agents. */
export async function isSetupNeeded(deps: Deps): Promise<boolean> {
  if (setUpBefore.has(deps)) return false;
  const needed = await isNobodyThere(deps.db);
  if (!needed) setUpBefore.add(deps);
  return needed;
}

async function isNobodyThere(db: Database): Promise<boolean> {
  const { rows } = await sql<{ nobody: boolean }>`
    select not exists (select from passwords) and not exists (
      select from members join organisations on organisations.id = members.organisation_id
      where members.user_id <> organisations.agent_user_id
    ) as nobody`.execute(db);
  return rows[0]?.nobody ?? false;
}

/**
 * Creates the first person, the owner of a new organisation: an existing organisation is not given to the first visitor.
 * Throws `already_set_up`, `rate_limit_exceeded` or `invalid_input`; of two concurrent requests one succeeds. Locks
 * nothing, and hashes no password, unless there seems to be no person.
 */
export async function setUp(deps: Deps, address: string, input: SetUp): Promise<void> {
  const { organisationName, name, email, password } = input;
  if (setUpBefore.has(deps)) throw new Refusal("already_set_up");
  await limitComingIn(deps, address);
  if (!(await isSetupNeeded(deps))) throw new Refusal("already_set_up");
  const hash = await hashPassword(password);
  await deps.db.transaction().execute(async (tx) => {
    await sql`lock table organisations in share row exclusive mode`.execute(tx); // lodged apply writes to it first
    if (!(await isNobodyThere(tx))) throw new Refusal("already_set_up");
    const others = await tx.selectFrom("organisations").select("slug").execute();
    const taken = others.map(({ slug }) => slug);
    const slug = slugOf(organisationName, "organisation", taken);
    const organisation = await applyOrganisation(tx, deps.clock.now(), { name: organisationName, slug });
    await refuseAgent(tx, email);
    const { id } = await applyMember(tx, deps.clock.now(), organisation.id, { email, name, role: "owner" }, "setup");
    await writePassword(tx, id, hash);
  });
}

/** An agent with a password would give access to its organisation. */
async function refuseAgent(tx: Transaction, email: string) {
  const agent = await tx
    .selectFrom("organisations")
    .innerJoin("users", "users.id", "organisations.agent_user_id")
    .select("users.id")
    .where("users.email", "=", email.toLowerCase())
    .executeTakeFirst();
  if (agent)
    throw invalidInput([{ path: "/email", message: "must not be the e-mail address of an organisation's AI agent" }]);
}
