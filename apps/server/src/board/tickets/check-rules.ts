import type { ErrorCode } from "@lodge/contract/errors";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** The refusals of a ticket whose place is valid (contract section 2, step 8). */
export type RuleRefusal = Extract<ErrorCode, "invalid_date_range" | "not_a_member" | "invalid_agent_repository">;

/**
 * The branches of a `case` that name the first broken rule of a row of `ticket`: its dates must be in order, its
 * assignee a member, its repository bound to the project. `ticket` has an organisation_id, assignee_user_id,
 * agent_repository_id, starts_at and due_at; `projectId` is an SQL expression.
 */
export const brokenRulesSql = (ticket: string, projectId: string) => `
        when ${ticket}.starts_at > ${ticket}.due_at then 'invalid_date_range'
        when ${ticket}.assignee_user_id is not null and not exists (
          select from members
          where members.organisation_id = ${ticket}.organisation_id and user_id = ${ticket}.assignee_user_id)
          then 'not_a_member'
        when ${ticket}.agent_repository_id is not null and not exists (
          select from repositories
          where repositories.organisation_id = ${ticket}.organisation_id
            and repositories.id = ${ticket}.agent_repository_id and repositories.project_id = ${projectId})
          then 'invalid_agent_repository'`;

/** The new references of a ticket; null for one that does not change. */
type Changed = {
  startsAt: string | null;
  dueAt: string | null;
  assigneeUserId: string | null;
  agentRepositoryId: string | null;
};

type Checked = {
  refusal: RuleRefusal | null;
  assigneeName: string | null;
  assigneeIsAgent: boolean;
  repositoryName: string | null;
};

/**
 * Checks a change of a ticket, and returns the names of its references for the history. Throws the refusals of
 * `brokenRulesSql`.
 */
export async function checkRules(
  tx: Transaction,
  organisationId: string,
  projectId: string,
  { startsAt, dueAt, assigneeUserId, agentRepositoryId }: Changed,
): Promise<Omit<Checked, "refusal">> {
  const { rows } = await sql<Checked>`
    select case ${sql.raw(brokenRulesSql("changed", "changed.project_id"))} end as refusal,
      users.name as "assigneeName", agent.id is not null as "assigneeIsAgent",
      repositories.name as "repositoryName"
    from (
      select ${organisationId}::uuid as organisation_id, ${projectId}::uuid as project_id, ${startsAt}::date as starts_at,
        ${dueAt}::date as due_at, ${assigneeUserId}::uuid as assignee_user_id,
        ${agentRepositoryId}::uuid as agent_repository_id
    ) changed
    left join users on users.id = assignee_user_id
    left join organisations agent on agent.id = changed.organisation_id and agent.agent_user_id = assignee_user_id
    left join repositories on repositories.organisation_id = changed.organisation_id
      and repositories.id = agent_repository_id`.execute(tx);
  const [checked] = rows;
  if (!checked) throw new Error("a change was not checked");
  const { refusal, ...names } = checked;
  if (refusal) throw new Refusal(refusal);
  return names;
}
