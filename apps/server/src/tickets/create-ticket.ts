import type { CreateTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import { assignToAgent } from "../agents/assign-to-agent.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { checkReferences } from "./check-references.ts";
import { readTicket } from "./read-ticket.ts";
import { recordActivity } from "./record-activity.ts";

/**
 * Files a card of a person's on top of a column, with its activity and, if it goes to the agent, its run.
 * Throws `column_not_found`, `invalid_date_range`, `not_a_member` or `invalid_agent_repository`, in this order.
 */
export function createTicket(deps: Deps, actor: Actor, input: CreateTicket): Promise<TicketDetails> {
  const { organisationId } = actor;
  return deps.db.transaction().execute(async (tx) => {
    const column = await tx
      .selectFrom("columns")
      .innerJoin("boards", (join) =>
        join
          .onRef("boards.organisation_id", "=", "columns.organisation_id")
          .onRef("boards.id", "=", "columns.board_id"),
      )
      .select(["columns.id", "columns.board_id", "boards.project_id"])
      .where("columns.organisation_id", "=", organisationId)
      .where("columns.id", "=", input.columnId)
      .forKeyShare("columns")
      .executeTakeFirst();
    if (!column) throw new Refusal("column_not_found");
    if (input.startsAt && input.dueAt && input.startsAt > input.dueAt) throw new Refusal("invalid_date_range");
    const { assigneeIsAgent } = await checkReferences(tx, organisationId, column.project_id, input);
    const { rows } = await sql<{ id: string }>`
      with made as materialized (select uuidv7() as id)
      insert into tickets (organisation_id, id, column_id, position, title, description, priority, assignee_user_id,
        agent_repository_id, starts_at, due_at, author_user_id, author_name, created_at)
      select ${organisationId}, id, ${column.id}, replace(id::text, '-', ''), ${input.title},
        ${input.description ?? ""}, ${input.priority ?? "none"}, ${input.assigneeUserId ?? null},
        ${input.agentRepositoryId ?? null}, ${input.startsAt ?? null}, ${input.dueAt ?? null}, ${actor.userId},
        ${actor.name}, ${deps.clock.now()}
      from made returning id`.execute(tx);
    const id = rows[0]?.id as string;
    await recordActivity(deps, tx, actor, id, { kind: "ticket.filed" });
    if (assigneeIsAgent) await assignToAgent(tx, organisationId, id);
    await publish(tx, organisationId, {
      kind: "ticket.filed",
      ticketId: id,
      boardId: column.board_id,
      columnId: column.id,
    });
    return readTicket(deps, tx, organisationId, id);
  });
}
