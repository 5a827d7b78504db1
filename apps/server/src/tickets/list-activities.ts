import type { Activity, ActivityPage, PageQuery } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../access/find-actor.ts";
import type { Deps } from "../platform/deps.ts";
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
    actor: {
      kind: row.actor_token_id === null ? ("person" as const) : ("token" as const),
      id: row.actor_token_id ?? row.actor_user_id,
      name: row.actor_name,
    },
    ...(row.details as Pick<Activity, "changes" | "from" | "to" | "commentId">),
    createdAt: row.created_at.toISOString(),
  }));
  return { activities, nextCursor: rows.length > pageActivities ? (activities.at(-1)?.id ?? null) : null };
}
