import type { MemberList, Role } from "@lodge/contract/dashboard/access";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";

/** The members of an organisation, its agent among them, by name. */
export async function listMembers({ db }: Deps, { organisationId }: Actor): Promise<MemberList> {
  return { members: (await selectMembers(db, organisationId).execute()).map(toMember) };
}

/** A query for the members of an organisation. */
export const selectMembers = (db: Database, organisationId: string) =>
  db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .innerJoin("organisations", "organisations.id", "members.organisation_id")
    .select(["members.user_id", "members.role", "members.created_at"])
    .select(["users.name", "users.email", "users.provider_organisation_id", "organisations.agent_user_id"])
    .where("members.organisation_id", "=", organisationId)
    .orderBy("users.name")
    .orderBy("users.id");

type Row = Awaited<ReturnType<ReturnType<typeof selectMembers>["executeTakeFirstOrThrow"]>>;

/** Converts a row of `selectMembers` to the contract's form. */
export const toMember = ({ user_id, name, email, provider_organisation_id, role, agent_user_id, created_at }: Row) => ({
  userId: user_id,
  name,
  email,
  role: role as Role,
  isAgent: user_id === agent_user_id,
  isOfProvider: provider_organisation_id !== null,
  joinedAt: created_at.toISOString(),
});
