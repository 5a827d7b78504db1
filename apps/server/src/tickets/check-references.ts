import type { Transaction } from "../platform/database/database.ts";
import { Refusal } from "../platform/errors.ts";

/**
 * Looks up what a ticket is to refer to, by name, for its history. Throws `not_a_member` or `invalid_agent_repository`,
 * as filing through the ticket API does (contract section 2, step 8).
 */
export async function checkReferences(
  tx: Transaction,
  organisationId: string,
  projectId: string,
  { assigneeUserId, agentRepositoryId }: { assigneeUserId?: string | null; agentRepositoryId?: string | null },
): Promise<{ assigneeName: string | null; assigneeIsAgent: boolean; repositoryName: string | null }> {
  const assignee =
    assigneeUserId &&
    (await tx
      .selectFrom("members")
      .innerJoin("users", "users.id", "members.user_id")
      .innerJoin("organisations", "organisations.id", "members.organisation_id")
      .select(["users.id", "users.name", "organisations.agent_user_id"])
      .where("members.organisation_id", "=", organisationId)
      .where("members.user_id", "=", assigneeUserId)
      .executeTakeFirst());
  if (assigneeUserId && !assignee) throw new Refusal("not_a_member");
  const repository =
    agentRepositoryId &&
    (await tx
      .selectFrom("repositories")
      .select("name")
      .where("organisation_id", "=", organisationId)
      .where("project_id", "=", projectId)
      .where("id", "=", agentRepositoryId)
      .executeTakeFirst());
  if (agentRepositoryId && !repository) throw new Refusal("invalid_agent_repository");
  return {
    assigneeName: assignee ? assignee.name : null,
    assigneeIsAgent: assignee ? assignee.id === assignee.agent_user_id : false,
    repositoryName: repository ? repository.name : null,
  };
}
