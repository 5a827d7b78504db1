import type { ChangeTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import { tellAssignee } from "../../people/notifications/tell-people.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { reassignRun } from "../agents/reassign-run.ts";
import { recheckImages } from "../images/recheck-images.ts";
import { archival } from "./archival.ts";
import { checkRules } from "./check-rules.ts";
import { indexText } from "./index-texts.ts";
import { keepTexts } from "./keep-texts.ts";
import { lockTicket } from "./lock-ticket.ts";
import { labelsInWords, makeLabels } from "./make-labels.ts";
import { readTicket } from "./read-ticket.ts";
import { recordActivity } from "./record-activity.ts";
import { reopening } from "./reopening.ts";

/**
 * Changes what differs of a ticket, and writes into its history what that was. A ticket that comes to the agent by it
 * gets a run, and one that is taken from it loses the one that is open. Throws `ticket_not_found`, `text_changed`, `invalid_date_range`, `not_a_member` or `invalid_agent_repository`.
 */
export async function changeTicket(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  input: ChangeTicket,
): Promise<TicketDetails> {
  const { organisationId } = actor;
  const { ticket, kind, runId } = await reopening(deps.db, async (tx) => {
    await lockTicket(tx, organisationId, ticketId);
    const before = await readTicket(deps, tx, organisationId, ticketId);
    const { archived: _, basedOn = {}, ...values } = input;
    refuseOverwriting(before, basedOn, input);
    const after = withLowerCaseIds({ ...valuesOf(before), ...values });
    const labels = [...new Set(after.labels)];
    const labelled = labelsInWords(labels) !== labelsInWords(before.labels);
    const reassigned = after.assigneeUserId !== (before.assignee?.id ?? null);
    const rebound = after.agentRepositoryId !== before.agentRepositoryId;
    const { assigneeName, assigneeIsAgent, repositoryName } = await checkRules(tx, organisationId, before.project.id, {
      ...after,
      assigneeUserId: reassigned ? after.assigneeUserId : null,
      agentRepositoryId: rebound ? after.agentRepositoryId : null,
    });
    const changes = [
      ...(after.title === before.title ? [] : [{ field: "title", from: before.title, to: after.title }]),
      ...(after.description === before.description ? [] : [{ field: "description", from: null, to: null }]),
      ...(after.priority === before.priority ? [] : [{ field: "priority", from: before.priority, to: after.priority }]),
      ...(reassigned ? [{ field: "assignee", from: before.assignee?.name ?? null, to: assigneeName }] : []),
      ...(rebound ? [{ field: "agentRepository", from: await repositoryBefore(), to: repositoryName }] : []),
      ...(after.startsAt === before.startsAt ? [] : [{ field: "startsAt", from: before.startsAt, to: after.startsAt }]),
      ...(after.dueAt === before.dueAt ? [] : [{ field: "dueAt", from: before.dueAt, to: after.dueAt }]),
      ...(labelled ? [{ field: "labels", from: labelsInWords(before.labels), to: labelsInWords(labels) }] : []),
    ];
    const archives = input.archived !== undefined && input.archived !== (before.archivedAt !== null);
    if (changes.length === 0 && !archives) return { ticket: before, kind: undefined, runId: undefined };

    await tx
      .updateTable("tickets")
      .set({
        title: after.title,
        description: after.description,
        priority: after.priority,
        assignee_user_id: after.assigneeUserId,
        agent_repository_id: after.agentRepositoryId,
        starts_at: after.startsAt,
        due_at: after.dueAt,
        labels,
        ...(archives && archival(input.archived === true, before.doneAt !== null, deps.clock.now())),
      })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", before.id)
      .execute();
    if (labelled) await makeLabels(tx, organisationId, labels);
    if (changes.length > 0) {
      const entryId = await recordActivity(deps, tx, actor, before.id, { kind: "ticket.changed", changes });
      const texts = changedTexts.filter((field) => after[field] !== before[field]);
      const kept = texts.map((field) => ({ field, before: before[field], after: after[field] }));
      await keepTexts(tx, organisationId, before.id, entryId, kept);
      if (texts.length > 0) await indexText(tx, organisationId, before.id);
      if (texts.includes("description")) await recheckImages(tx, organisationId, before.id);
    }
    const archived = input.archived ? "ticket.archived" : "ticket.restored";
    if (archives) await recordActivity(deps, tx, actor, before.id, { kind: archived });
    const at = deps.clock.now();
    const runId = reassigned
      ? await reassignRun(tx, actor, { ticketId: before.id, isAgent: assigneeIsAgent, at })
      : undefined;
    if (reassigned && after.assigneeUserId && !assigneeIsAgent) {
      await tellAssignee(tx, actor, { ticketId: before.id, assigneeUserId: after.assigneeUserId, at });
    }
    const kind = archives ? archived : "ticket.changed";
    return { ticket: await readTicket(deps, tx, organisationId, before.id), kind, runId } as const;

    async function repositoryBefore(): Promise<string | null> {
      if (before.agentRepositoryId === null) return null;
      const repository = await tx
        .selectFrom("repositories")
        .select("name")
        .where("organisation_id", "=", organisationId)
        .where("id", "=", before.agentRepositoryId)
        .executeTakeFirst();
      return repository?.name ?? null;
    }
  });
  if (kind) {
    const { id, board, columnId } = ticket;
    deps.announce(organisationId, { kind, ticketId: id, boardId: board.id, columnId });
  }
  if (runId) deps.announce(organisationId, { kind: "run.changed", runId, ticketId: ticket.id });
  if (kind && ticket.assignee && input.assigneeUserId) {
    deps.announce(organisationId, { kind: "notices.changed", userId: ticket.assignee.id });
  }
  return ticket;
}

const changedTexts = ["title", "description"] as const;

/** What somebody else has written meanwhile is not lost in silence. Throws `text_changed`. */
function refuseOverwriting(
  { title, description }: TicketDetails,
  basedOn: NonNullable<ChangeTicket["basedOn"]>,
  wanted: ChangeTicket,
) {
  const current = { title, description };
  const isLost = changedTexts.some(
    (field) =>
      wanted[field] !== undefined &&
      basedOn[field] !== undefined &&
      current[field] !== basedOn[field] &&
      current[field] !== wanted[field],
  );
  if (isLost) throw new Refusal("text_changed", { current });
}

const valuesOf = (ticket: TicketDetails) => {
  const { title, description, priority, assignee, agentRepositoryId, startsAt, dueAt, labels } = ticket;
  return {
    title,
    description,
    priority,
    assigneeUserId: assignee?.id ?? null,
    agentRepositoryId,
    startsAt,
    dueAt,
    labels,
  };
};

/** Ids are compared with those of the database, which writes them in small letters. */
const withLowerCaseIds = (values: ReturnType<typeof valuesOf>) => ({
  ...values,
  assigneeUserId: values.assigneeUserId?.toLowerCase() ?? null,
  agentRepositoryId: values.agentRepositoryId?.toLowerCase() ?? null,
});
