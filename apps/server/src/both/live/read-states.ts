import type { TicketState } from "@lodge/contract/dashboard/live-event";
import { sql } from "kysely";
import { readCards } from "../../board/tickets/card.ts";
import { withNumbers } from "../../board/tickets/number-tickets.ts";
import { needsProviderSql, needsSecondFactorSql } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";

/** The current states of tickets that streams send. */
export type States = {
  cards: ReadonlyMap<string, NonNullable<TicketState["card"]>>;
  /** The number of cards in each requested column, and in the columns of the cards. */
  cardCounts: ReadonlyMap<string, number>;
};

/** Reads these cards of an organisation, and counts those of the columns; ids of other organisations are ignored. */
export async function readStates(
  { db }: Deps,
  organisationId: string,
  ticketIds: string[],
  columnIds: string[],
): Promise<States> {
  if (ticketIds.length === 0) return { cards: new Map(), cardCounts: new Map() };
  const found = await withNumbers(db, organisationId, await readCards(db, organisationId, ticketIds));
  const cards = found.filter(({ archivedAt }) => archivedAt === null);
  const counted = [...new Set([...columnIds, ...cards.map(({ columnId }) => columnId)])];
  const { rows } = await sql<{ id: string; cards: number }>`
    select columns.id, (
      select count(*) from tickets t
      where t.organisation_id = columns.organisation_id and t.column_id = columns.id and t.archived_at is null) as cards
    from columns where organisation_id = ${organisationId} and columns.id = any(${counted}::uuid[])`.execute(db);
  return {
    cards: new Map(cards.map((card) => [card.id, card])),
    cardCounts: new Map(rows.map(({ id, cards: cardCount }) => [id, cardCount])),
  };
}

/** Returns the sessions that currently work on the organisation, as members with access. */
export async function findSessionsWithin(
  { db, clock }: Deps,
  organisationId: string,
  sessionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select sessions.id from sessions
    join members on members.organisation_id = sessions.active_organisation_id and members.user_id = sessions.user_id
    join organisations on organisations.id = members.organisation_id
    where sessions.id = any(${sessionIds}::uuid[]) and sessions.active_organisation_id = ${organisationId}
      and sessions.expires_at > ${clock.now()} and not ${sql.raw(needsProviderSql)}
      and not ${sql.raw(needsSecondFactorSql)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
