import { type RawBuilder, sql } from "kysely";

/**
 * The query of the users who follow a ticket: its author, its assignee, people who commented on it and those who watch
 * it, except people who muted it.
 */
export const followersOf = (organisationId: string, ticketId: string | null): RawBuilder<unknown> => sql`
  select author_user_id from comments where organisation_id = ${organisationId} and ticket_id = ${ticketId}
  union select author_user_id from tickets where organisation_id = ${organisationId} and id = ${ticketId}
  union select assignee_user_id from tickets where organisation_id = ${organisationId} and id = ${ticketId}
  union select user_id from ticket_follows
    where organisation_id = ${organisationId} and ticket_id = ${ticketId} and state = 'watching'
  except select user_id from ticket_follows
    where organisation_id = ${organisationId} and ticket_id = ${ticketId} and state = 'muted'`;
