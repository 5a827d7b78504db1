import type { Activity, ActivityPage, PageQuery } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireTicket } from "./require-ticket.ts";

const pageActivities = 100;

/** The history of a ticket, the newest first: who did what, and when. Throws `ticket_not_found`. */
export async function listActivities(
  { db }: Deps,
  { organisationId }: Actor,
  ticketId: string,
  { cursor }: PageQuery,
): Promise<ActivityPage> {
  await requireTicket(db, organisationId, ticketId);
  const rows = await db
    .selectFrom("ticket_activities")
    .select(["id", "kind", "actor_token_id", "actor_user_id", "actor_name", "details", "created_at"])
    .where("organisation_id", "=", organisationId)
    .where("ticket_id", "=", ticketId)
    .$if(cursor !== undefined, (query) => query.where("id", "<", cursor as string))
    .orderBy("id", "desc")
    .limit(pageActivities + 1)
    .execute();
  const activities = rows.slice(0, pageActivities).map((row) => ({
    id: row.id,
    kind: row.kind as Activity["kind"],
    actor: actorOf(row),
    ...factsOf(row.details),
    createdAt: row.created_at.toISOString(),
  }));
  return { activities, nextCursor: rows.length > pageActivities ? (activities.at(-1)?.id ?? null) : null };
}

type Row = { actor_token_id: string | null; actor_user_id: string | null; actor_name: string; details: unknown };

function actorOf({ actor_token_id, actor_user_id, actor_name: name, details }: Row): Activity["actor"] {
  const { appId } = details as { appId?: string };
  if (appId !== undefined) return { kind: "app", id: appId, name };
  if (actor_token_id !== null) return { kind: "token", id: actor_token_id, name };
  return { kind: actor_user_id === null ? "lodge" : "person", id: actor_user_id, name };
}

const facts = [
  ...(["changes", "from", "to", "commentId", "filename", "relation", "otherNumber", "movedComments"] as const),
  ...(["occurrence", "previousTicketId", "runState", "runReason"] as const),
];

/** The facts of an entry besides its kind. */
const factsOf = (details: unknown): Partial<Pick<Activity, (typeof facts)[number]>> =>
  Object.fromEntries(
    facts.flatMap((fact) => {
      const value = (details as Record<string, unknown>)[fact];
      return value === undefined || value === null ? [] : [[fact, value]];
    }),
  );
