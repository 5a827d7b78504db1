import { sql } from "kysely";
import { fileReport, type ReportCard } from "../../board/tickets/file-report.ts";
import type { Deps } from "../../platform/deps.ts";
import { announceCards } from "./announce-cards.ts";
import { describeProblem } from "./describe-problem.ts";
import { readEvent } from "./read-events.ts";

/**
 * Files the card of a report on a board: one for each problem, however many reports it has, and one for each report
 * without a problem. Returns false if the board has no column.
 */
export async function fileReportCard(deps: Deps, subscriberId: string, card: ReportCard): Promise<boolean> {
  await readEvent(deps, card.appId, card.eventId);
  const { rows } = await sql<{ problem_id: string; hash: string }>`
    select problem_id, hash from event_summaries
    join problem_hashes using (app_id, hash)
    where app_id = ${card.appId} and event_id = ${card.eventId}`.execute(deps.db);
  const [found] = rows;
  if (!found) return fileReport(deps, card);

  const { problem_id: problemId, hash } = found;
  const claim = await claimCard(deps, subscriberId, problemId, hash, card);
  if (claim === undefined) return true; // another report has filed the card, or is filing it
  if (!(await fileReport(deps, { ...card, ...(await describeProblem(deps, card.appId, problemId, card.eventId)) })))
    return false;
  await sql`
    update report_cards set ticket_id = tickets.id, column_id = tickets.column_id from tickets
    where report_cards.app_id = ${card.appId} and report_cards.id = ${claim}
      and tickets.organisation_id = ${card.organisationId} and tickets.delivery_id = ${card.deliveryId}`.execute(
    deps.db,
  );
  deps.announce(card.organisationId, { kind: "problem.changed", appId: card.appId, problemId });
  await announceCards(deps, [{ app_id: card.appId, problem_id: problemId }]);
  return true;
}

/**
 * Claims the card of a problem for one of its deliveries: the first, or a later one if that one is dead. The same
 * delivery can claim it again, so that the problem gets its card even if a worker dies in between.
 */
async function claimCard(
  { db }: Deps,
  subscriberId: string,
  problemId: string,
  hash: string,
  { organisationId, appId, deliveryId }: ReportCard,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into report_cards as claimed (organisation_id, app_id, problem_id, hash, subscriber_id, delivery_id)
    values (${organisationId}, ${appId}, ${problemId}, ${hash}, ${subscriberId}, ${deliveryId})
    on conflict (app_id, problem_id, subscriber_id) where subscriber_id is not null
    do update set delivery_id = excluded.delivery_id, hash = excluded.hash
    where (claimed.ticket_id is null or exists (
      select from tickets where tickets.organisation_id = claimed.organisation_id and tickets.id = claimed.ticket_id
        and tickets.column_id is null)) and (claimed.delivery_id = excluded.delivery_id or not exists (
      select from deliveries where deliveries.app_id = claimed.app_id and deliveries.id = claimed.delivery_id
        and state in ('waiting', 'failed')))
    returning id`.execute(db);
  return rows[0]?.id;
}
