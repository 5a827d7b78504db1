import type { TicketReport } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { makeLink } from "../artifacts/artifact-links.ts";
import { culpritPart } from "./group-report.ts";
import { type ProblemRow, problemColumns, toProblem } from "./inbox-rows.ts";
import { readOriginalError } from "./original-error.ts";
import { parseEnvelope } from "./readable.ts";
import { shownFrame } from "./shown-error.ts";

const framesMax = 50;
const picturesMax = 5;
/** The reports with attachments that are searched for pictures. */
const lookedAtMax = 20;

/** The problem or report of a ticket of the organisation, with stack and pictures. Throws `ticket_not_found`. */
export async function getTicketReport(deps: Deps, { organisationId }: Actor, ticketId: string): Promise<TicketReport> {
  const { db, clock, urls } = deps;
  const { rows: tickets } = await sql<{ app_id: string | null; problem_id: string | null; event_id: string | null }>`
    select coalesce(cards.app_id, tickets.app_id) as app_id, cards.problem_id,
      coalesce(problems.last_event_id, cards.event_id, tickets.event_id) as event_id
    from tickets
    left join report_cards cards on cards.organisation_id = tickets.organisation_id and cards.ticket_id = tickets.id
    left join problems on problems.app_id = cards.app_id and problems.id = cards.problem_id
    where tickets.organisation_id = ${organisationId} and tickets.id = ${ticketId}
      and tickets.column_id is not null limit 1`.execute(db);
  const [ticket] = tickets;
  if (!ticket) throw new Refusal("ticket_not_found");
  const { app_id: appId, problem_id: problemId, event_id: eventId } = ticket;
  if (appId === null || eventId === null) return { problem: null, eventId: null, frames: [], pictures: [] };
  const problem = await sql<ProblemRow>`
    select ${problemColumns(clock.now())} from problems p where p.app_id = ${appId} and p.id = ${problemId}`.execute(
    db,
  );
  const event = await db
    .selectFrom("events")
    .select("envelope")
    .where("app_id", "=", appId)
    .where("id", "=", eventId)
    .executeTakeFirst();
  const { rows: pictures } = await sql<{ event_id: string; position: number; filename: string; byte_length: number }>`
    with reports as materialized (
      select ${eventId}::uuid as event_id, ${clock.now()}::timestamptz as received_at where ${problemId}::uuid is null
      union all (
        select e.event_id, e.received_at from problem_hashes h
        join problem_facets f on f.app_id = h.app_id and f.hash = h.hash and f.facet = 'attachments'
        cross join lateral (
          select event_id, received_at from event_summaries
          where event_summaries.app_id = h.app_id and event_summaries.hash = h.hash
            and received_at >= f.first_seen_at and attachment_count > 0
          order by received_at, event_id limit ${sql.lit(lookedAtMax)}) e
        where h.app_id = ${appId} and h.problem_id = ${problemId}
        order by e.received_at limit ${sql.lit(lookedAtMax)}))
    select artifacts.event_id, position, coalesce(filename, part_name) as filename, byte_length
    from reports join artifacts on artifacts.app_id = ${appId} and artifacts.event_id = reports.event_id
    where content_type ~* '^image/(png|jpeg|gif|webp|avif)$'
    order by received_at, artifacts.event_id, position limit ${sql.lit(picturesMax)}`.execute(db);
  return {
    problem: problem.rows[0] ? toProblem(problem.rows[0]) : null,
    eventId,
    frames: event ? await framesOf(deps, appId, event.envelope) : [],
    pictures: pictures.map(({ event_id, position, filename, byte_length }) => ({
      eventId: event_id,
      filename,
      byteLength: byte_length,
      url: makeLink(deps, { appId, eventId: event_id, part: `${position}` }, urls.base),
    })),
  };
}

async function framesOf(deps: Deps, appId: string, envelope: Buffer): Promise<TicketReport["frames"]> {
  const { read } = await readOriginalError(deps, appId, parseEnvelope(envelope));
  return culpritPart(read)
    .frames.slice(0, framesMax)
    .map((frame) => shownFrame(frame));
}
