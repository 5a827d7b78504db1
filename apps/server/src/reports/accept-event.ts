import { preparedStatement } from "../platform/database.ts";
import type { Deps } from "../platform/deps.ts";
import { enabledSubscribersSql, insertDeliveriesSql, wakeSubscribersSql } from "../subscribers/queue-deliveries.ts";

/** An event as a receipt tells of it. */
export type AcceptedEvent = { eventId: string; deliveryCount: number; idempotent: boolean };

/** An attachment whose bytes lie in the store, checked against what the envelope declares. */
export type StoredAttachment = {
  position: number;
  partName: string;
  filename: string | null;
  contentType: string | null;
  byteLength: number;
  sha256: Buffer;
  storeKey: string;
};

/**
 * Writes an event with its artifacts, its deliveries and the job that wakes their subscribers, all of it or nothing;
 * writes nothing where the app has this report already.
 */
const acceptStatement = preparedStatement<{ id: string; delivery_count: number }>(
  "accept_event",
  `with subscribed as materialized (${enabledSubscribersSql("$1")}
  ), event as (
    insert into events (app_id, report_id, sdk_key_id, envelope, received_at, attachments, delivery_count)
    values ($1, $2, $3, $4, $5, $13, (select count(*) from subscribed))
    on conflict (app_id, report_id) do nothing
    returning app_id, id, delivery_count
  ), stored as (
    insert into artifacts (app_id, event_id, position, part_name, filename, content_type, byte_length, sha256, store_key, created_at)
    select event.app_id, event.id, artifact.*, $5
    from event, unnest($6::smallint[], $7::text[], $8::text[], $9::text[], $10::integer[], $11::bytea[], $12::text[]) artifact
  ), delivery as (${insertDeliveriesSql("event", "subscribed")}
  ), job as (${wakeSubscribersSql("select app_id, json_agg(subscriber_id), now() from delivery group by app_id")}
  )
  select id, delivery_count from event`,
);

const findStatement = preparedStatement<{ id: string; delivery_count: number }>(
  "find_event",
  "select id, delivery_count from events where app_id = $1 and report_id = $2",
);

/** The event of a report that the app has received before, or undefined. */
export async function findEvent({ pool }: Deps, appId: string, reportId: string): Promise<AcceptedEvent | undefined> {
  const [row] = await findStatement(pool, [appId, reportId]);
  return row && { eventId: row.id, deliveryCount: row.delivery_count, idempotent: true };
}

/**
 * Makes a report an event, or finds the event that it is already. Its attachments must be flushed to the store before
 * (contract section 3, step 10). Of several requests with one report, exactly one is told `idempotent: false`.
 */
export async function acceptEvent(
  deps: Deps,
  app: { id: string; keyId: string },
  reportId: string,
  envelope: Buffer,
  attachments: readonly StoredAttachment[],
): Promise<AcceptedEvent> {
  const [row] = await acceptStatement(deps.pool, [
    app.id,
    reportId,
    app.keyId,
    envelope,
    deps.clock.now(),
    attachments.map(({ position }) => position),
    attachments.map(({ partName }) => storable(partName)),
    attachments.map(({ filename }) => filename && storable(filename)),
    attachments.map(({ contentType }) => contentType && storable(contentType)),
    attachments.map(({ byteLength }) => byteLength),
    attachments.map(({ sha256 }) => sha256),
    attachments.map(({ storeKey }) => storeKey),
    JSON.stringify(attachments.map(describe)),
  ]);
  if (row && row.delivery_count > 0) deps.announceJobs();
  if (row) return { eventId: row.id, deliveryCount: row.delivery_count, idempotent: false };
  const original = await findEvent(deps, app.id, reportId);
  if (!original) throw new Error("a report was neither new nor known");
  return original;
}

/** What a receiver is told of an attachment; its link is made when it is told. */
const describe = ({ partName, filename, contentType, byteLength, sha256 }: StoredAttachment) => ({
  partName,
  filename,
  contentType,
  byteLength,
  sha256: sha256.toString("hex"),
});

/** A text column holds neither NUL nor unpaired surrogates; the envelope keeps them. */
const storable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();
