import type { ChangeTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { applyChange } from "./apply-change.ts";
import { type TicketRow, toDetails } from "./read-ticket.ts";

/** Changes a ticket for a person (`applyChange`). Throws `text_changed` where somebody else has written meanwhile. */
export async function changeTicket(
  deps: Deps,
  actor: Actor,
  ticketId: string,
  { basedOn = {}, ...changes }: ChangeTicket,
): Promise<TicketDetails> {
  const check = (before: TicketRow) => refuseOverwriting(before, basedOn, changes);
  return toDetails(deps.urls, await applyChange(deps, actor, ticketId, changes, { check }));
}

/** What somebody else has written meanwhile is not lost in silence. Throws `text_changed`. */
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
