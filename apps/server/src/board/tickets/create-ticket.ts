import type { CreateTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { claimImages } from "../images/claim-images.ts";
import { readTicket } from "./read-ticket.ts";
import { writeTicket } from "./write-ticket.ts";

/**
 * Files a card of a person's on top of a column, with its activity and, if it goes to the agent, its run.
 * Throws `column_not_found`, `invalid_date_range`, `not_a_member` or `invalid_agent_repository`, in this order.
 */
export async function createTicket(deps: Deps, actor: Actor, input: CreateTicket): Promise<TicketDetails> {
  const { organisationId, userId: id, name } = actor;
  const written = await writeTicket(deps, { kind: "person", organisationId, id, name }, input);
  if (!written) throw new Error("a ticket was neither refused nor filed");
  await claimImages(deps, actor, written.id, input.description ?? "");
  return readTicket(deps, deps.db, organisationId, written.id);
}
