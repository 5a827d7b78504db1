import type { PersonList } from "@lodge/contract/dashboard/access";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { selectMembers } from "./list-members.ts";

/** The people who can be mentioned and assigned. Tokens are not users, so they are left out (interface section 2.1). */
export async function listPeople({ db }: Deps, { organisationId }: Actor): Promise<PersonList> {
  const rows = await selectMembers(db, organisationId).execute();
  return {
    people: rows.map(({ user_id, name, agent_user_id }) => ({ id: user_id, name, isAgent: user_id === agent_user_id })),
  };
}
