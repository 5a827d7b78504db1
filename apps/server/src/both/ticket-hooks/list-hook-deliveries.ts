import type { HookDeliveryPage, HookDeliveryQuery, TicketType } from "@lodge/contract/dashboard/hooks";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

const pageDeliveries = 50;
const attemptsShown = 20;

type Shown = HookDeliveryPage["deliveries"][number];
type Row = {
  id: string;
  type: string;
  ticketId: string;
  title: string;
  number: string | null;
  state: Shown["state"];
  createdAt: Date;
  dueAt: Date;
  settledAt: Date | null;
  attemptCount: number;
  attempts: Shown["attempts"];
};

/** The deliveries to a webhook of the organisation, the latest first. Throws `hook_not_found`. */
export async function listHookDeliveries(
  { db }: Deps,
  { organisationId }: Actor,
  hookId: string,
  { state, cursor }: HookDeliveryQuery,
): Promise<HookDeliveryPage> {
  await requireHook(db, organisationId, hookId);
  const { rows } = await sql<Row>`
    select d.id, d.type, d.ticket_id as "ticketId", tickets.title, d.state, d.created_at as "createdAt",
      upper(projects.slug) || '-' || numbered.number as number,
      d.due_at as "dueAt", d.settled_at as "settledAt", d.attempt_count as "attemptCount", (
        select coalesce(json_agg(json_build_object('number', latest.number, 'startedAt',
          to_char(started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'durationMs', duration_ms,
          'status', status, 'response', response, 'reason', reason) order by latest.number desc), '[]')
        from (
          select * from hook_attempts where organisation_id = d.organisation_id and delivery_id = d.id
          order by hook_attempts.number desc limit ${attemptsShown}) latest) as attempts
    from (
      select * from hook_deliveries where organisation_id = ${organisationId} and hook_id = ${hookId}
        and (${state ?? null}::text is null or state = ${state ?? null})
        and (${cursor ?? null}::uuid is null or id < ${cursor ?? null})
      order by id desc limit ${pageDeliveries + 1}) d
    join tickets on tickets.organisation_id = d.organisation_id and tickets.id = d.ticket_id
      and tickets.column_id is not null
    left join ticket_numbers numbered
      on numbered.organisation_id = d.organisation_id and numbered.ticket_id = d.ticket_id
    left join projects on projects.organisation_id = numbered.organisation_id and projects.id = numbered.project_id
    order by d.id desc`.execute(db);
  const shown = rows.slice(0, pageDeliveries);
  return {
    deliveries: shown.map(({ ticketId, title, number, createdAt, dueAt, settledAt, ...row }) => ({
      ...row,
      type: row.type as TicketType,
      ticket: { id: ticketId, title, number },
      createdAt: createdAt.toISOString(),
      dueAt: settledAt === null ? dueAt.toISOString() : null,
      settledAt: settledAt?.toISOString() ?? null,
    })),
    nextCursor: rows.length > pageDeliveries ? (shown.at(-1)?.id ?? null) : null,
  };
}

/** A webhook of the organisation, and whether it is enabled. Throws `hook_not_found`. */
export async function requireHook(db: Database, organisationId: string, hookId: string): Promise<{ enabled: boolean }> {
  const hook = await db
    .selectFrom("organisation_hooks")
    .select("enabled")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", hookId)
    .executeTakeFirst();
  if (!hook) throw new Refusal("hook_not_found");
  return hook;
}
