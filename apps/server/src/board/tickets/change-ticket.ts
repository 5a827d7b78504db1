import type { ChangedTicket, ChangeTicket, TicketChange } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { applyChange } from "./apply-change.ts";
import { type TicketRow, toDetails } from "./read-ticket.ts";

/** Changes a ticket for a person (`applyChange`). Throws `text_changed` if somebody else changed the text meanwhile. */
export async function changeTicket(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  { basedOn = {}, ...changes }: ChangeTicket,
): Promise<ChangedTicket> {
  let before: TicketRow | undefined;
  const check = (row: TicketRow) => {
    before = row;
    refuseOverwriting(row, basedOn, changes);
  };
  const after = await applyChange(deps, actor, ticketId, changes, { check });
  return { ...toDetails(deps.urls, after), undo: before ? undoing(before, after) : null };
}

/** The change that undoes a change of a ticket, except its texts; null if only texts changed. */
function undoing(before: TicketRow, after: TicketRow): TicketChange | null {
  const [was, is] = [undoable(before), undoable(after)];
  const differs = (field: string) =>
    JSON.stringify(was[field as keyof typeof was]) !== JSON.stringify(is[field as keyof typeof is]);
  const only = <Fields extends object>(fields: Fields): Partial<Fields> =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => differs(field))) as Partial<Fields>;
  const back = only(was);
  return Object.keys(back).length === 0 ? null : { ticketId: before.id, ...back, basedOn: only(is) };
}

const undoable = (row: TicketRow) => ({
  priority: row.priority,
  assigneeUserId: row.assignee_user_id,
  labels: row.labels,
  startsAt: row.starts_at,
  dueAt: row.due_at,
  archived: row.archived_at !== null,
});

/** Refuses to overwrite a text that somebody else has changed meanwhile. Throws `text_changed`. */
function refuseOverwriting(
  { title, description }: TicketRow,
  basedOn: NonNullable<ChangeTicket["basedOn"]>,
  wanted: Omit<ChangeTicket, "basedOn">,
) {
  const current = { title, description };
  const isLost = (["title", "description"] as const).some(
    (field) =>
      wanted[field] !== undefined &&
      basedOn[field] !== undefined &&
      current[field] !== basedOn[field] &&
      current[field] !== wanted[field],
  );
  if (isLost) throw new Refusal("text_changed", { current });
}
