import type { CreateTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { claimImages } from "../images/claim-images.ts";
import { readTicket } from "./read-ticket.ts";
import { writeTicket } from "./write-ticket.ts";

/**
 * Files a person's card at the top of a column, with its activity and, if it is assigned to the agent, its run. A `key`
 * that the person has used before returns that card, and nothing is checked. Throws `column_not_found`,
 * `invalid_date_range`, `not_a_member` or `invalid_agent_repository`, in this order.
 */
export async function createTicket(
  deps: Deps,
  actor: Actor,
  input: CreateTicket,
  key?: string,
): Promise<TicketDetails> {
  const { organisationId, userId: id, name } = actor;
  const known = await findFiled(deps, actor, key);
  const written = known ? undefined : await writeTicket(deps, { kind: "person", organisationId, id, name, key }, input);
  // If another request with the key was faster, its card exists now.
  const ticketId = known ?? written?.id ?? (await findFiled(deps, actor, key));
  if (!ticketId) throw new Error("a ticket was neither refused nor filed");
  await claimImages(deps, actor, ticketId, input.description ?? "");
  return readTicket(deps, deps.db, organisationId, ticketId);
}

/** The card that the person has filed with a key. */
async function findFiled({ db }: Deps, { organisationId, userId }: Actor, key: string | undefined) {
  if (key === undefined) return undefined;
  const filed = await db
    .selectFrom("tickets")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("author_user_id", "=", userId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  return filed?.id;
}
