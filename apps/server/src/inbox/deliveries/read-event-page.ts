import { eventsPageBytesMax, eventsPageMax, listEvents } from "@lodge/contract/events";
import { invalidToken, type Token } from "../../people/tokens/authenticate-token.ts";
import { inCamelCase, narrowed, preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { type OutgoingProblem, problemOfEventSql, toOutgoingProblem } from "../problems/problem-of-event.ts";
import { type EventPlace, firstEventId, foreignCursor } from "./event-cursor.ts";
import { includedEnvelopeBytesMax, type OutgoingEvent } from "./event-data.ts";

const required = listEvents.credential.permission;

/**
 * Events in the order of their transactions, only up to the oldest running one: whatever that one commits later comes
 * after them. Without `after`, the page starts there. Reads the token's permissions in the same statement.
 */
const statement = preparedStatement({
  name: "read_event_page",
  parameters: { organisationId: "uuid", tokenId: "uuid", appId: "uuid?", after: "text?", afterId: "uuid" },
  row: {
    horizon: "text",
    permissions: "text[]?",
    app_id: "uuid?",
    event_id: "uuid?",
    transaction_id: "text?",
    report_id: "text?",
    received_at: "timestamptz?",
    envelope: "bytea?",
    attachments: narrowed<OutgoingEvent["attachments"]>("json?"),
    problem: narrowed<Omit<OutgoingProblem, "url"> | null>("json?"),
  },
  text: ({ organisationId, tokenId, appId, after, afterId }) => `with horizon as materialized (
    select pg_snapshot_xmin(pg_current_snapshot()) as at,
      (select permissions from tokens where organisation_id = ${organisationId} and id = ${tokenId} and revoked_at is null)
  ), found as materialized (
    select event.* from apps, horizon cross join lateral (
      select app_id, id, transaction_id, least(octet_length(envelope), ${includedEnvelopeBytesMax}) as bytes from events
      where events.app_id = apps.id and (transaction_id, id) > (coalesce(${after}::xid8, horizon.at), ${afterId})
        and transaction_id < horizon.at
      order by transaction_id, id limit ${eventsPageMax}) event
    where apps.organisation_id = ${organisationId} and apps.deleted_at is null and (${appId} is null or apps.id = ${appId})
      and '${required}' = any(permissions)
    order by transaction_id, id limit ${eventsPageMax}
  ), sized as (
    select *, sum(bytes) over (order by transaction_id, id) - bytes as bytes_before from found
  ), page as (
    select events.* from sized join events using (app_id, id)
    where bytes_before < ${eventsPageBytesMax}
  )
  select horizon.at::text as horizon, permissions, app_id, id as event_id, transaction_id::text as transaction_id,
    report_id, received_at, attachments,
    case when octet_length(envelope) <= ${includedEnvelopeBytesMax} then envelope end as envelope,
    (${problemOfEventSql("page")}) as problem
  from horizon left join page on true
  order by page.transaction_id, page.id`,
});

/** The events after a place, and the place where the next page starts. */
export type EventPage = { events: PolledEvent[]; place: EventPlace };

/** An event with its problem, if that is known yet. */
export type PolledEvent = OutgoingEvent & { problem: OutgoingProblem | null };

/**
 * Reads the events of an organisation, or of one app, after a place; without a place, only finds the current one.
 * Throws `invalid_api_token` or `insufficient_scope` if the token has lost its access, and `invalid_input` for a place
 * ahead of this database, which comes from the database that this one was restored from.
 */
export async function readEventPage(
  deps: Deps,
  token: Token,
  appId: string | undefined,
  after: EventPlace | undefined,
): Promise<EventPage> {
  const rows = await statement(deps.pool, {
    organisationId: token.organisationId,
    tokenId: token.id,
    appId,
    after: after?.transactionId.toString(),
    afterId: after?.eventId ?? firstEventId,
  });
  const [{ horizon: at = "0", permissions = null } = {}] = rows;
  if (!permissions) throw invalidToken();
  if (!permissions.includes(required)) throw new Refusal("insufficient_scope", { required });
  const horizon = BigInt(at);
  if (after && after.transactionId > horizon) throw foreignCursor();
  const events: PolledEvent[] = [];
  let place = after ?? { transactionId: horizon, eventId: firstEventId };
  for (const { appId, eventId, transactionId, reportId, receivedAt, envelope, attachments, problem } of rows.map(
    inCamelCase,
  )) {
    if (!appId || !eventId || !transactionId || reportId === null || !receivedAt) continue;
    const outgoing = { appId, eventId, reportId, receivedAt, envelope, attachments };
    events.push({ ...outgoing, problem: toOutgoingProblem(deps, problem) });
    place = { transactionId: BigInt(transactionId), eventId };
  }
  return { events, place };
}
