import type { ReportCard } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import { withLink } from "../../board/tickets/file-report.ts";
import { writeTicket } from "../../board/tickets/write-ticket.ts";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { announceCards } from "./announce-cards.ts";
import { describeEvent, describeProblem } from "./describe-problem.ts";
import { listReportCards } from "./list-report-cards.ts";

/**
 * Creates a card of a problem in a member's name, at the top of a column. Throws `problem_not_found` or
 * `column_not_found`.
 */
export async function makeProblemCard(
  deps: Deps,
  actor: Actor,
  problemId: string,
  columnId: string,
): Promise<ReportCard> {
  const { rows } = await sql<{ app_id: string; id: string; last_event_id: string; hash: string | null }>`
    select problems.app_id, id, last_event_id, hash from problems
    left join event_summaries e on e.app_id = problems.app_id and e.event_id = last_event_id
    where organisation_id = ${actor.organisationId} and id = ${problemId}`.execute(deps.db);
  const [problem] = rows;
  if (!problem) throw new Refusal("problem_not_found");
  const { app_id, id, last_event_id, hash } = problem;
  const text = await describeProblem(deps, app_id, id, last_event_id);
  return makeCard(deps, actor, columnId, text, { app_id, problem_id: id, hash });
}

/**
 * Creates a card of an event, or of its problem if it has one, in a member's name, at the top of a column. Throws
 * `event_not_found` or `column_not_found`.
 */
export async function makeEventCard(deps: Deps, actor: Actor, eventId: string, columnId: string): Promise<ReportCard> {
  const { rows } = await sql<{ app_id: string; problem_id: string | null; hash: string | null }>`
    select events.app_id, problem_id, problem_hashes.hash from apps join events on events.app_id = apps.id
    left join event_summaries on event_summaries.app_id = events.app_id and event_summaries.event_id = events.id
    left join problem_hashes on problem_hashes.app_id = events.app_id and problem_hashes.hash = event_summaries.hash
    where apps.organisation_id = ${actor.organisationId} and apps.deleted_at is null and events.id = ${eventId}`.execute(
    deps.db,
  );
  const [event] = rows;
  if (!event) throw new Refusal("event_not_found");
  const { app_id, problem_id, hash } = event;
  if (problem_id === null) {
    return makeCard(deps, actor, columnId, await describeEvent(deps, app_id, eventId), { app_id, event_id: eventId });
  }
  const text = await describeProblem(deps, app_id, problem_id, eventId);
  return makeCard(deps, actor, columnId, text, { app_id, problem_id, hash });
}

async function makeCard(
  deps: Deps,
  { organisationId, userId: id, name }: Actor,
  columnId: string,
  { title, message, url }: { title: string; message: string; url: string },
  about: { app_id: string; problem_id?: string; hash?: string | null; event_id?: string },
): Promise<ReportCard> {
  const ticket = { title, description: withLink(message, url), columnId };
  const written = await writeTicket(deps, { kind: "person", organisationId, id, name }, ticket);
  if (!written) throw new Error("a ticket was neither refused nor filed");
  await deps.db.transaction().execute(async (tx) => {
    // This lock keeps the event until the commit; from then on, the card keeps it.
    const held = about.event_id
      ? tx
          .selectFrom("events")
          .where("app_id", "=", about.app_id)
          .where("id", "=", about.event_id)
          .select("id")
          .forKeyShare()
      : undefined;
    if (held && !(await held.executeTakeFirst())) throw new Refusal("event_not_found");
    await tx
      .insertInto("report_cards")
      .values({ organisation_id: organisationId, ...about, ticket_id: written.id, column_id: columnId })
      .execute();
    const { app_id: appId, problem_id: problemId } = about;
    if (problemId) await publish(tx, organisationId, { kind: "problem.changed", appId, problemId });
    else await publish(tx, organisationId, { kind: "inbox.changed", appId });
  });
  if (about.problem_id) await announceCards(deps, [{ app_id: about.app_id, problem_id: about.problem_id }]);
  const cards = await listReportCards(deps, organisationId, sql`tickets.id = ${written.id}`);
  return cards[0] as ReportCard;
}
