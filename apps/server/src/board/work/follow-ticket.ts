import type { ChangeFollowing, Following } from "@lodge/contract/dashboard/work";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { followersOf } from "../../people/notifications/followers.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** Whether a member follows a ticket. Throws `ticket_not_found`. */
export async function getFollowing(
  { db }: { db: Database },
  { organisationId, userId }: Actor,
  ticketId: string,
): Promise<Following> {
  const { rows } = await sql<Following>`
    select coalesce(chosen.state, 'automatic') as state,
      ${userId}::uuid in (${followersOf(organisationId, ticketId)}) is true as "isFollowing"
    from tickets left join ticket_follows chosen
      on chosen.organisation_id = tickets.organisation_id and chosen.ticket_id = tickets.id and chosen.user_id = ${userId}
    where tickets.organisation_id = ${organisationId} and tickets.id = ${ticketId} and column_id is not null`.execute(
    db,
  );
  const [following] = rows;
  if (!following) throw new Refusal("ticket_not_found");
  return following;
}

/** Watches or mutes a ticket for a member, or neither. Throws `ticket_not_found`. */
export async function changeFollowing(
  { db, announce }: Deps,
  actor: Actor,
  ticketId: string,
  { state }: ChangeFollowing,
): Promise<Following> {
  const { organisationId, userId } = actor;
  const following = await db.transaction().execute(async (tx) => {
    await (state === "automatic"
      ? sql`delete from ticket_follows
          where organisation_id = ${organisationId} and ticket_id = ${ticketId} and user_id = ${userId}`
      : sql`insert into ticket_follows (organisation_id, ticket_id, user_id, state)
          select organisation_id, id, ${userId}, ${state} from tickets
          where organisation_id = ${organisationId} and id = ${ticketId} and column_id is not null
          on conflict (organisation_id, ticket_id, user_id) do update set state = excluded.state`
    ).execute(tx);
    return getFollowing({ db: tx }, actor, ticketId);
  });
  announce(organisationId, { kind: "notices.changed", userId });
  return following;
}
