import type { ChangeTicket } from "@lodge/contract/dashboard/tickets";
import { labelsMax } from "@lodge/contract/limits";
import { sql } from "kysely";
import { tellAssignee } from "../../people/notifications/tell-people.ts";
import type { Changer } from "../../people/tokens/changer.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { reassignRun } from "../agents/reassign-run.ts";
import { recheckImages } from "../images/recheck-images.ts";
import { archival, doneness } from "./archival.ts";
import { checkRules } from "./check-rules.ts";
import { lockTarget, type Placement, placeAt, type Target, wantedPlace } from "./choose-place.ts";
import { indexText } from "./index-texts.ts";
import { keepTexts } from "./keep-texts.ts";
import { lockTickets } from "./lock-ticket.ts";
import { labelsInWords, makeLabels } from "./make-labels.ts";
import { readTicketRows, type TicketRow } from "./read-ticket.ts";
import { recordActivity } from "./record-activity.ts";
import { reopening } from "./reopening.ts";

/** The new values of a ticket; omitted ones do not change. */
type TicketChanges = Omit<ChangeTicket, "basedOn"> &
  Placement & { addLabels?: string[] | undefined; removeLabels?: string[] | undefined };

/** Optional hooks and rows of a change. */
type Options = {
  /** Other tickets that `keep` writes, to lock as well. */
  lockAlso?: readonly string[];
  /** Can refuse the change after seeing the current ticket. */
  check?: (before: TicketRow) => void;
  /** Writes rows that belong to the change, in its transaction. */
  keep?: (tx: Transaction, after: TicketRow) => Promise<void>;
};

const triesMax = 5;

/**
 * Changes a ticket in one transaction: its fields, its place, and whether it is done and archived; records the old
 * values in its history. A ticket that is assigned to the agent gets a run; one that is unassigned loses its open run.
 * Throws `ticket_not_found`, `board_not_found`, `column_not_found`, `invalid_input`, `invalid_date_range`,
 * `not_a_member` or `invalid_agent_repository`.
 */
export async function applyChange(
  deps: Deps,
  changer: Changer,
  ticketId: string,
  changes: TicketChanges,
  options: Options = {},
): Promise<TicketRow> {
  for (let tries = 1; ; tries++) {
    const seen = await requireRow(deps.db, changer, ticketId); // numbers the ticket
    const result = await reopening(deps.db, (tx) => changeAsSeen(deps, tx, changer, seen, changes, options));
    if (result) {
      for (const news of result.news) deps.announce(changer.organisationId, news);
      return result.after;
    }
    if (tries === triesMax) throw new Refusal("unavailable", {}, { "retry-after": "1" });
  }
}

async function requireRow(db: Deps["db"], { organisationId, token }: Changer, ticketId: string): Promise<TicketRow> {
  const [row] = await readTicketRows(db, organisationId, sql`t.id = ${ticketId}::uuid`, token);
  if (!row) throw new Refusal("ticket_not_found");
  return row;
}

type News = Parameters<Deps["announce"]>[1];

/** Returns undefined if somebody else has moved the ticket meanwhile, so that another column must be locked. */
async function changeAsSeen(
  deps: Deps,
  tx: Transaction,
  changer: Changer,
  seen: TicketRow,
  changes: TicketChanges,
  { lockAlso = [], check, keep }: Options,
): Promise<{ after: TicketRow; news: News[] } | undefined> {
  const { organisationId } = changer;
  const wanted = wantedPlace(seen, changes);
  const target = await lockTarget(tx, seen, organisationId, wanted);
  await lockTickets(tx, organisationId, [seen.id, ...lockAlso]);
  const before = { ...(await requireRow(tx, changer, seen.id)), number: seen.number };
  if (JSON.stringify(wantedPlace(before, changes)) !== JSON.stringify(wanted)) return undefined;
  check?.(before);
  const fields = await changeFields(deps, tx, changer, before, changes);
  const place = target && (await findPlace(tx, organisationId, before, target, changes));
  const standing = standingOf(before, changes, target, deps.clock.now());
  const set = { ...fields.set, ...place?.set, ...standing.set };
  if (Object.keys(set).length === 0) {
    await keep?.(tx, before);
    return { after: before, news: [] };
  }
  await tx
    .updateTable("tickets")
    .set(set)
    .where("organisation_id", "=", organisationId)
    .where("id", "=", before.id)
    .execute();
  const news = await fields.finish();
  await recordPlace(deps, tx, changer, before, target, standing);
  const after = { ...(await requireRow(tx, changer, before.id)), number: seen.number };
  await keep?.(tx, after);
  return { after, news: [...tellPlace(before, after, standing, place?.isSpread ?? false), ...news] };
}

async function findPlace(
  tx: Transaction,
  organisationId: string,
  before: TicketRow,
  target: Target,
  { position }: TicketChanges,
) {
  if (target.id === before.column_id && position === undefined) return undefined;
  const found = await placeAt(tx, organisationId, before, target, position ?? "top");
  return found && { set: { column_id: target.id, position: found.key }, isSpread: found.isSpread };
}

type Standing = ReturnType<typeof standingOf>;

/** Whether a ticket is done and archived after a change, and what to write if that changed. */
function standingOf(
  before: TicketRow,
  { done, archived, ...place }: TicketChanges,
  target: Target | undefined,
  now: Date,
) {
  const moves = target !== undefined && target.id !== before.column_id;
  if (done === false && place.columnId !== undefined && target?.isDone) {
    throw invalidInput([{ path: "/done", message: "must not be false if columnId is the done column" }]);
  }
  const wasDone = before.done_at !== null;
  const isDone = done ?? (moves ? target.isDone : wasDone);
  const resolves = done === true && !wasDone;
  const wasArchived = before.archived_at !== null;
  const isArchived = archived ?? (wasArchived || (resolves && (target?.isOnly ?? false)));
  return {
    resolves,
    archives: isArchived === wasArchived ? undefined : isArchived,
    set: {
      ...((isDone !== wasDone || (moves && isDone && target.isDone)) && doneness(isDone, now)),
      ...(isArchived !== wasArchived && archival(isArchived, isDone, now)),
    },
  };
}

/** Records in the history that a ticket was moved, done, archived or restored. */
async function recordPlace(
  deps: Deps,
  tx: Transaction,
  changer: Changer,
  before: TicketRow,
  target: Target | undefined,
  { resolves, archives }: Standing,
) {
  const moves = target !== undefined && target.id !== before.column_id;
  const named = (board: string, column: string) =>
    target?.boardId === before.board_id ? column : `${board} / ${column}`;
  const way = moves && {
    from: named(before.board_name, before.column_name),
    to: named(target.boardName, target.name),
  };
  if (resolves) await recordActivity(deps, tx, changer, before.id, { kind: "ticket.resolved", ...way });
  else if (way) await recordActivity(deps, tx, changer, before.id, { kind: "ticket.moved", ...way });
  if (archives !== undefined && !(archives && resolves)) {
    await recordActivity(deps, tx, changer, before.id, { kind: archives ? "ticket.archived" : "ticket.restored" });
  }
}

/** Announces a change to boards. */
function tellPlace(before: TicketRow, after: TicketRow, { archives }: Standing, isSpread: boolean): News[] {
  const place = { ticketId: after.id, boardId: after.board_id, columnId: after.column_id };
  const spread: News[] = isSpread ? [{ kind: "board.changed", boardId: after.board_id }] : [];
  if (archives !== undefined && before.board_id === after.board_id) {
    return [{ kind: archives ? "ticket.archived" : "ticket.restored", ...place }, ...spread];
  }
  const isMoved = before.column_id !== after.column_id || before.position !== after.position;
  const from = { fromBoardId: before.board_id, fromColumnId: before.column_id };
  return [isMoved ? { kind: "ticket.moved", ...place, ...from } : { kind: "ticket.changed", ...place }, ...spread];
}

/** Compares the fields of a ticket with the wanted ones, and checks the changed ones by the rules of filing. */
async function changeFields(deps: Deps, tx: Transaction, changer: Changer, before: TicketRow, changes: TicketChanges) {
  const { organisationId } = changer;
  const after = wantedFields(before, changes);
  const reassigned = after.assigneeUserId !== before.assignee_user_id;
  const rebound = after.agentRepositoryId !== before.agent_repository_id;
  const names = await checkRules(tx, organisationId, before.project_id, {
    ...after,
    assigneeUserId: reassigned ? after.assigneeUserId : null,
    agentRepositoryId: rebound ? after.agentRepositoryId : null,
  });
  const labelled = labelsInWords(after.labels) !== labelsInWords(before.labels);
  const texts = (["title", "description"] as const).filter((field) => after[field] !== before[field]);
  const entries = [
    ...(after.title === before.title ? [] : [{ field: "title", from: before.title, to: after.title }]),
    ...(after.description === before.description ? [] : [{ field: "description", from: null, to: null }]),
    ...(after.priority === before.priority ? [] : [{ field: "priority", from: before.priority, to: after.priority }]),
    ...(reassigned ? [{ field: "assignee", from: before.assignee_name, to: names.assigneeName }] : []),
    ...(rebound
      ? [{ field: "agentRepository", from: await repositoryName(tx, organisationId, before), to: names.repositoryName }]
      : []),
    ...(after.startsAt === before.starts_at ? [] : [{ field: "startsAt", from: before.starts_at, to: after.startsAt }]),
    ...(after.dueAt === before.due_at ? [] : [{ field: "dueAt", from: before.due_at, to: after.dueAt }]),
    ...(labelled ? [{ field: "labels", from: labelsInWords(before.labels), to: labelsInWords(after.labels) }] : []),
  ];
  return {
    set: entries.length === 0 ? {} : columnsOf(after),
    finish: async (): Promise<News[]> => {
      if (entries.length === 0) return [];
      if (labelled) await makeLabels(tx, organisationId, after.labels);
      const entryId = await recordActivity(deps, tx, changer, before.id, { kind: "ticket.changed", changes: entries });
      const kept = texts.map((field) => ({ field, before: before[field], after: after[field] }));
      await keepTexts(tx, organisationId, before.id, entryId, kept);
      if (texts.length > 0) await indexText(tx, organisationId, before.id);
      if (texts.includes("description")) await recheckImages(tx, organisationId, before.id);
      if (!reassigned) return [];
      return reassign(deps, tx, changer, before.id, after.assigneeUserId, names.assigneeIsAgent);
    },
  };
}

/** The wanted fields of a ticket; ids in lowercase, as the database returns them. */
function wantedFields(before: TicketRow, changes: TicketChanges) {
  const { addLabels = [], removeLabels = [] } = changes;
  const id = (wanted: string | null | undefined, current: string | null) =>
    wanted === undefined ? current : (wanted?.toLowerCase() ?? null);
  const or = <T>(wanted: T | undefined, current: T) => (wanted === undefined ? current : wanted);
  const labels = [...new Set([...(changes.labels ?? before.labels), ...addLabels])];
  const left = labels.filter((label) => !removeLabels.includes(label));
  if (left.length > labelsMax) {
    throw invalidInput([{ path: "/addLabels", message: `must leave the ticket with at most ${labelsMax} labels` }]);
  }
  return {
    title: changes.title ?? before.title,
    description: changes.description ?? before.description,
    priority: changes.priority ?? before.priority,
    assigneeUserId: id(changes.assigneeUserId, before.assignee_user_id),
    agentRepositoryId: id(changes.agentRepositoryId, before.agent_repository_id),
    startsAt: or(changes.startsAt, before.starts_at),
    dueAt: or(changes.dueAt, before.due_at),
    labels: left,
  };
}

const columnsOf = (fields: ReturnType<typeof wantedFields>) => ({
  title: fields.title,
  description: fields.description,
  priority: fields.priority,
  assignee_user_id: fields.assigneeUserId,
  agent_repository_id: fields.agentRepositoryId,
  starts_at: fields.startsAt,
  due_at: fields.dueAt,
  labels: fields.labels,
});

async function repositoryName(tx: Transaction, organisationId: string, { agent_repository_id: id }: TicketRow) {
  if (id === null) return null;
  const repository = await tx
    .selectFrom("repositories")
    .select("name")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", id)
    .executeTakeFirst();
  return repository?.name ?? null;
}

/** Creates a run if the new assignee is the agent, and a notification if it is a person. */
async function reassign(
  deps: Deps,
  tx: Transaction,
  changer: Changer,
  ticketId: string,
  assigneeUserId: string | null,
  isAgent: boolean,
): Promise<News[]> {
  const at = deps.clock.now();
  const runId = await reassignRun(tx, changer, { ticketId, isAgent, at });
  const news: News[] = runId ? [{ kind: "run.changed", runId, ticketId }] : [];
  if (assigneeUserId === null || isAgent) return news;
  await tellAssignee(tx, changer, { ticketId, assigneeUserId, at });
  return [...news, { kind: "notices.changed", userId: assigneeUserId }];
}
